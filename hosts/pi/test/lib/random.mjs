// Random numbers that a seed repeats (mulberry32): the answer gives an integer below its limit.
export function randomFrom(seed) {
  let a = seed
  return (limit) => {
    a = (a + 0x6d2b79f5) | 0
    let x = Math.imul(a ^ (a >>> 15), a | 1)
    x ^= x + Math.imul(x ^ (x >>> 7), x | 61)
    return ((x ^ (x >>> 14)) >>> 0) % limit
  }
}
