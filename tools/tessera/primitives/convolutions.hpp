// SPDX-License-Identifier: Apache-2.0
// What the rows of convolution and deconvolution share.
#pragma once

#include "ops/convolution/convolution.hpp"
#include "primitives/row.hpp"

namespace tessera::primitives::convolutions {

// Of src, weights, strides and paddings; 0 where no window fits.
std::vector<int64_t> dims_of_dst(const ProblemLine& line);
ops::ConvolutionWindows windows_of(const ProblemLine& line);
Result<Problem> make(const Asked& asked, const Attr& attr);
std::vector<Interval> bounds(const Computation& c, int output, std::span<const int64_t> at);
std::vector<int64_t> bias_dims(const spellings::Foreign& f);

} // namespace tessera::primitives::convolutions
