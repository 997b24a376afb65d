// The same checks compiled as C++, where enumerators have types and a wrong signature is an overload conflict.
#include "abi_types_test.c"
