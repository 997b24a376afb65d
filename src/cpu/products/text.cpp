// SPDX-License-Identifier: Apache-2.0
#include "cpu/products/text.hpp"

#include <fmt/format.h>

namespace tessera::cpu {

std::string text_of_product(const ProductText& text, const DotGroups& groups,
                            std::initializer_list<std::pair<std::string_view, const DotPacks*>> packs) {
    std::string all = fmt::format("{}; {}; {} units", text.kernel, text.choice, text.units);
    if (groups.length) all += fmt::format("; groups of {} of k: {}", groups.length, groups.more->name());
    if (!text.epilogue.empty()) all += fmt::format("; {}", text.epilogue);
    if (text.short_rows) all += "; A by rows of 4 bytes";
    for (const auto& [name, of] : packs)
        if (!of->empty()) {
            std::string pack = of->all.front().run->text();
            while (!pack.empty() && pack.back() == '\n') pack.pop_back();
            all += fmt::format("; {} by {}", name, pack);
        }
    return all;
}

std::vector<const jit::Kernel*> those_made(std::initializer_list<std::shared_ptr<const jit::Kernel>> kernels) {
    std::vector<const jit::Kernel*> all;
    for (const auto& kernel : kernels)
        if (kernel) all.push_back(kernel.get());
    return all;
}

} // namespace tessera::cpu
