// SPDX-License-Identifier: Apache-2.0
// The same checks compiled as C++, where enumerators have types and a wrong signature is an overload conflict.
#include "types_test.c"
