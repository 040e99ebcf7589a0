/* Programs of sed. */
#include "fuzz/script_input.h"
#include "policy/words/sed.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    return read_script(xylem_policy__sed, data, size);
}
