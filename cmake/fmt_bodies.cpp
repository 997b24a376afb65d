// SPDX-License-Identifier: Apache-2.0
// The bodies of fmt, compiled once: header-only fmt compiles them again in every file that formats a text, which cost
// 2.4 of the 3.0 s of such a file. Linked into the libraries, so that nothing looks for a libfmt.so when it is loaded.
//
// These are the instantiations that the headers of fmt 8.1 to 12 declare without bodies. From 11.1 on vformat_to is a
// function; before 9 numbers were formatted by two more.
#include <fmt/format-inl.h>

FMT_BEGIN_NAMESPACE
namespace detail {

template FMT_API auto dragonbox::to_decimal(float x) noexcept -> dragonbox::decimal_fp<float>;
template FMT_API auto dragonbox::to_decimal(double x) noexcept -> dragonbox::decimal_fp<double>;
template FMT_API auto thousands_sep_impl(locale_ref) -> thousands_sep_result<char>;
template FMT_API auto decimal_point_impl(locale_ref) -> char;
template FMT_API void buffer<char>::append(const char*, const char*);
#if FMT_VERSION < 110100
template FMT_API void vformat_to(buffer<char>&, string_view, basic_format_args<format_context>, locale_ref);
#endif
#if FMT_VERSION < 90000
template FMT_API int format_float<double>(double, int, float_specs, buffer<char>&);
template FMT_API int format_float<long double>(long double, int, float_specs, buffer<char>&);
template FMT_API int snprintf_float<double>(double, int, float_specs, buffer<char>&);
template FMT_API int snprintf_float<long double>(long double, int, float_specs, buffer<char>&);
#endif

} // namespace detail
FMT_END_NAMESPACE
