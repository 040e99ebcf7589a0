/* Programs of sed. */
#include "judge/policy/words/sed.h"
#include "tests/fuzz/script_input.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    return read_script(xylem_policy__sed, data, size);
}
