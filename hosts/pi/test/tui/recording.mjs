// How a person records a sequence in a terminal.

export const COUNT = 'Run this sequence how many times?'

// Up to the question for the count.
export async function record(terminal, steps) {
  await terminal.submit('/sequence')
  await terminal.wait('● recording')
  for (const [i, step] of steps.entries()) {
    await terminal.type(step)
    await terminal.wait(`recording · ${i + 1} step`)
  }
  await terminal.keys('C-j')
  await terminal.wait(COUNT)
}

export async function recordAndRun(terminal, steps, count) {
  await record(terminal, steps)
  await terminal.keys('-l', count)
  await terminal.keys('Enter')
}
