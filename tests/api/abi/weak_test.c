// SPDX-License-Identifier: Apache-2.0
// The extensions declared weak: without the library their addresses are null and the program still links and loads;
// with it they are the library's. ABI_LINKED says which of the two this build is. Weak references alone do not make
// the linker keep a library, hence the call of dnnl_version().
#define DNNL_TESSERA_WEAK
#include "oneapi/dnnl/dnnl_common.h"
#include "oneapi/dnnl/dnnl_tessera.h"

int main(void) {
    const int found = (dnnl_tessera_last_error != NULL) + (dnnl_tessera_last_error_cpp != NULL) +
                      (dnnl_memory_desc_create_with_string_tag != NULL) +
                      (dnnl_primitive_attr_set_output_scales != NULL) +
                      (dnnl_primitive_attr_get_output_scales != NULL) + (dnnl_tessera_set_strict_execution != NULL) +
                      (dnnl_tessera_version != NULL);
    if (found != (ABI_LINKED ? 7 : 0)) return 1;
#if ABI_LINKED
    if (dnnl_version() == NULL || dnnl_tessera_last_error()[0] != '\0') return 1;
#endif
    return 0;
}
