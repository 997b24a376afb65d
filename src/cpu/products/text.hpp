// SPDX-License-Identifier: Apache-2.0
// What jobs of products say of themselves.
#pragma once

#include <initializer_list>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "cpu/jit/kernel.hpp"
#include "cpu/products/run/groups.hpp"

namespace tessera::cpu {

struct ProductText {
    std::string_view kernel;
    std::string choice;
    int64_t units;
    std::string_view epilogue; // none: sums go to dst
    bool short_rows = false;   // of A
};
std::string text_of_product(const ProductText& text, const DotGroups& groups,
                            std::initializer_list<std::pair<std::string_view, const DotPacks*>> packs);

// Those that are not null.
std::vector<const jit::Kernel*> those_made(std::initializer_list<std::shared_ptr<const jit::Kernel>> kernels);

} // namespace tessera::cpu
