/* Programs of awk. */
#include "judge/policy/words/awk.h"
#include "tests/fuzz/script_input.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    return read_script(xylem_policy__awk, data, size);
}
