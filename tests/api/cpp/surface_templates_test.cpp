// SPDX-License-Identifier: Apache-2.0
// Compile-time checks of the templates of the C++ interface, which the generated test leaves out.
// covers: CPP-203 OBJ-04 OBJ-06 HSC-01

#define DNNL_WITH_SYCL

#include <cstdio>
#include <type_traits>

#include "oneapi/dnnl/dnnl.hpp"
#if __has_include(<sycl/sycl.hpp>)
#include "oneapi/dnnl/dnnl_sycl.hpp"
#endif

using namespace dnnl;

namespace {

struct user_object;
dnnl_status_t destroy(user_object*) { return dnnl_success; }

} // namespace

// A handle of a user's own C object.
template <> struct dnnl::handle_traits<user_object*> {
    static dnnl_status_t destructor(user_object* p) { return destroy(p); }
};
static_assert(std::is_default_constructible<handle<user_object*>>::value, "");
static_assert(std::is_same<handle<dnnl_engine_t>, handle<dnnl_engine_t, handle_traits<dnnl_engine_t>>>::value, "");

template <typename T> using vector_check = void (*)(const std::vector<T>&, const char*, int, int);
static_assert(sizeof(static_cast<vector_check<int>>(&validate_container_size<std::vector<int>>)) > 0, "");
static_assert(sizeof(static_cast<void (*)(const std::vector<int>&, int)>(&memory::validate_dims<int>)) > 0, "");

static_assert(std::is_constructible<memory, const memory::desc&, float>::value, "");
static_assert(std::is_constructible<memory, const memory::desc&, int32_t>::value, "");
static_assert(sizeof(static_cast<float (memory::*)() const>(&memory::get_host_scalar_value<float>)) > 0, "");
static_assert(sizeof(static_cast<void (memory::*)(float) const>(&memory::set_host_scalar_value<float>)) > 0, "");
static_assert(sizeof(static_cast<float* (memory::*)(int) const>(&memory::map_data<float>)) > 0, "");
static_assert(std::is_same<decltype(std::declval<const memory&>().map_data()), void*>::value, "");
static_assert(std::is_same<decltype(std::declval<const memory&>().map_data<char>()), char*>::value, "");

using base_desc = const primitive_desc_base&;
static_assert(std::is_same<decltype(std::declval<base_desc>().get_flags()), unsigned>::value, "");
static_assert(std::is_same<decltype(std::declval<base_desc>().get_flags<rnn_flags>()), rnn_flags>::value, "");
static_assert(std::is_same<decltype(engine::query(std::declval<base_desc>())), engine>::value, "");

#if __has_include(<sycl/sycl.hpp>)
using floats = sycl::buffer<float, 1>;
static_assert(std::is_same<decltype(sycl_interop::get_buffer<float>(std::declval<memory&>())), floats>::value, "");
static_assert(
    std::is_same<decltype(sycl_interop::set_buffer(std::declval<memory&>(), std::declval<floats&>())), void>::value,
    "");
static_assert(std::is_same<decltype(sycl_interop::set_buffer(std::declval<memory&>(), std::declval<floats&>(),
                                                             std::declval<const stream&>())),
                           void>::value,
              "");
static_assert(std::is_same<decltype(sycl_interop::make_memory(std::declval<const memory::desc&>(),
                                                              std::declval<const engine&>(), std::declval<floats&>())),
                           memory>::value,
              "");
static_assert(std::is_constructible<memory, const memory::desc&, const engine&, floats&>::value, "");
static_assert(std::is_same<decltype(std::declval<const memory&>().get_sycl_buffer<float>(nullptr)), floats>::value, "");
static_assert(std::is_same<decltype(std::declval<memory&>().set_sycl_buffer(std::declval<floats&>())), void>::value,
              "");
#endif

int main() { std::puts("templates of the C++ interface checked by the compiler"); }
