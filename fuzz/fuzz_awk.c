/* Programs of awk. */
#include "fuzz/script_input.h"
#include "policy/words/awk.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    return read_script(xylem_policy__awk, data, size);
}
