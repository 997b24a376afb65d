// SPDX-License-Identifier: Apache-2.0
// The part of the C++ interface that knows no tensors: errors, shared handles, engines, streams and
// the two numeric modes. Everything here is a thin, header-only wrapper over the C ABI.
//
// Contract: a wrapper throws dnnl::error (or traps when exceptions are off) whenever the C call it
// makes does not return success. Copies of a wrapper share one C object; the last one destroys it.
//
//     dnnl::engine eng(dnnl::engine::kind::cpu, 0);
//     dnnl::stream strm(eng);

#ifndef ONEAPI_DNNL_DNNL_COMMON_HPP
#define ONEAPI_DNNL_DNNL_COMMON_HPP

#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <exception>
#include <memory>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include "oneapi/dnnl/dnnl_common.h"
#include "oneapi/dnnl/dnnl_tessera.h"

/// 1 when wrappers report failures by exceptions. Define it before the first include to choose;
/// by default it follows the compiler's own setting.
#ifndef DNNL_ENABLE_EXCEPTIONS
#if defined(__cpp_exceptions) || defined(__EXCEPTIONS) || defined(_CPPUNWIND)
#define DNNL_ENABLE_EXCEPTIONS 1
#else
#define DNNL_ENABLE_EXCEPTIONS 0
#endif
#endif

/// Ends the program at once; what a failure becomes when exceptions are off.
#ifndef DNNL_TRAP
#if defined(__GNUC__) || defined(__clang__)
#define DNNL_TRAP() __builtin_trap()
#else
#define DNNL_TRAP() std::abort()
#endif
#endif

/// Reports a failure: throws dnnl::error(status, msg), or traps when exceptions are off.
#ifndef DNNL_THROW_ERROR
#if DNNL_ENABLE_EXCEPTIONS
#define DNNL_THROW_ERROR(status, msg) throw ::dnnl::error((status), (msg))
#else
#define DNNL_THROW_ERROR(status, msg)                                                                                  \
    do {                                                                                                               \
        static_cast<void>(status);                                                                                     \
        static_cast<void>(msg);                                                                                        \
        DNNL_TRAP();                                                                                                   \
    } while (0)
#endif
#endif

/// Gives an `enum class` used as a set of bits the operators | & ^ ~ |= &= ^=.
#define DNNL_DEFINE_BITMASK_OPS(enum_name)                                                                             \
    inline enum_name operator|(enum_name lhs, enum_name rhs) {                                                         \
        return static_cast<enum_name>(static_cast<unsigned>(lhs) | static_cast<unsigned>(rhs));                        \
    }                                                                                                                  \
    inline enum_name operator&(enum_name lhs, enum_name rhs) {                                                         \
        return static_cast<enum_name>(static_cast<unsigned>(lhs) & static_cast<unsigned>(rhs));                        \
    }                                                                                                                  \
    inline enum_name operator^(enum_name lhs, enum_name rhs) {                                                         \
        return static_cast<enum_name>(static_cast<unsigned>(lhs) ^ static_cast<unsigned>(rhs));                        \
    }                                                                                                                  \
    inline enum_name& operator|=(enum_name& lhs, enum_name rhs) { return lhs = lhs | rhs; }                            \
    inline enum_name& operator&=(enum_name& lhs, enum_name rhs) { return lhs = lhs & rhs; }                            \
    inline enum_name& operator^=(enum_name& lhs, enum_name rhs) { return lhs = lhs ^ rhs; }                            \
    inline enum_name operator~(enum_name rhs) { return static_cast<enum_name>(~static_cast<unsigned>(rhs)); }

#if defined(__GNUC__) || defined(__clang__)
// Extensions of this library are looked up weakly: a program compiled with these headers also loads
// beside another library with the same C ABI, where the addresses below are null.
extern "C" {
extern __attribute__((weak)) decltype(dnnl_tessera_last_error) dnnl_tessera_last_error;
extern __attribute__((weak)) decltype(dnnl_tessera_last_error_cpp) dnnl_tessera_last_error_cpp;
}
#endif

struct dnnl_primitive_desc;

/// C++ interface of the library.
namespace dnnl {

/// What every failing wrapper throws: the status of the C call and a text with the reason.
struct error : public std::exception {
    dnnl_status_t status; ///< Status the C call returned.
    const char* message;  ///< Text for people; lives as long as any copy of this error.

    /// Keeps a copy of the text, so that it may be a temporary. A null text counts as "".
    /// @param astatus Status of the C call.
    /// @param amessage Text for people, copied; null counts as "".
    error(dnnl_status_t astatus, const char* amessage)
        : status(astatus), message(nullptr), text_(std::make_shared<const std::string>(amessage ? amessage : "")) {
        message = text_->c_str();
    }

    /// @returns The same text as `message`.
    const char* what() const noexcept override { return message; }

    /// Does nothing on success. Otherwise reports "<message>: <reason>", where the reason is what the
    /// library recorded for the failing call of this thread; without a record only "<message>".
    /// @param status Status of a C call.
    /// @param message What could not be done.
    /// @throws dnnl::error with `status` unless that is dnnl_success.
    static void wrap_c_api(dnnl_status_t status, const char* message) {
        if (status == dnnl_success) return;
        const char* reason = last_reason();
        std::string text(message ? message : "");
        if (reason && *reason) text += (text.empty() ? "" : ": ") + std::string(reason);
        DNNL_THROW_ERROR(status, text.c_str());
    }

private:
    static const char* last_reason() {
#if defined(__GNUC__) || defined(__clang__)
        if (!dnnl_tessera_last_error_cpp) return dnnl_tessera_last_error ? dnnl_tessera_last_error() : nullptr;
#endif
        return dnnl_tessera_last_error_cpp();
    }

    std::shared_ptr<const std::string> text_; // shared: copying an exception must not throw
};

/// Tells handle<T> which C call destroys a T. Specialised once per C object.
template <typename T> struct handle_traits {};

/// Helpers of the wrappers; not for users.
namespace detail {

/// "1 value", "3 values": a number and its noun in a message.
template <typename N> std::string counted(N n, const char* noun) {
    return std::to_string(n) + " " + noun + (n == N(1) ? "" : "s");
}

} // namespace detail

/// Shared ownership of one C object. Copies refer to the same object. An empty handle refers to none.
template <typename T, typename traits = handle_traits<T>> struct handle {
protected:
    /// Whether this is the handle of `other`.
    /// @param other What to compare with.
    /// @returns true if they are equal.
    bool operator==(const T other) const { return data_.get() == other; }
    /// The opposite of ==.
    /// @param other What to compare with.
    /// @returns true if they differ.
    bool operator!=(const T other) const { return data_.get() != other; }

public:
    /// An empty handle.
    handle() = default;
    handle(const handle<T, traits>&) = default;
    handle<T, traits>& operator=(const handle<T, traits>&) = default;
    /// Leaves the source empty.
    handle(handle<T, traits>&&) = default;
    handle<T, traits>& operator=(handle<T, traits>&&) = default;

    /// Refers to `t`; a weak handle never destroys it, any other takes it over.
    /// @param t C object; null for none.
    /// @param weak true: the object is never destroyed by this handle or its copies.
    explicit handle(T t, bool weak = false) { reset(t, weak); }

    /// Lets go of the present object and refers to `t`, as the constructor does.
    /// @param t C object; null for none.
    /// @param weak true: the object is never destroyed by this handle or its copies.
    void reset(T t, bool weak = false) {
        if (t)
            data_.reset(t, weak ? &leave_alone : &traits::destructor);
        else
            data_.reset(); // a shared_ptr would hand even null to the destructor
    }

    /// The C object. An empty handle gives null if `allow_empty`, else an invalid_arguments error.
    /// @param allow_empty true: an empty handle gives null instead of throwing.
    /// @returns The object.
    /// @throws dnnl::error with dnnl_invalid_arguments if the handle is empty, unless allow_empty.
    T get(bool allow_empty = false) const {
        T object = data_.get();
        if (!allow_empty && object == nullptr)
            DNNL_THROW_ERROR(dnnl_invalid_arguments, "the object is empty: it was never created, or was moved from");
        return object;
    }

    /// @returns The C object, or null.
    explicit operator T() const { return get(true); }
    /// @returns Whether there is an object.
    explicit operator bool() const { return get(true) != nullptr; }

    /// Whether both refer to the same object (identity, not content).
    /// @param other What to compare with.
    /// @returns true if they are equal.
    bool operator==(const handle<T, traits>& other) const { return other.data_.get() == data_.get(); }
    /// The opposite of ==.
    /// @param other What to compare with.
    /// @returns true if they differ.
    bool operator!=(const handle& other) const { return !(*this == other); }

private:
    static dnnl_status_t leave_alone(T) { return dnnl_success; }

    std::shared_ptr<typename std::remove_pointer<T>::type> data_;
};

template <> struct handle_traits<dnnl_engine_t> {
    static dnnl_status_t destructor(dnnl_engine_t p) { return dnnl_engine_destroy(p); }
};
template <> struct handle_traits<dnnl_stream_t> {
    static dnnl_status_t destructor(dnnl_stream_t p) { return dnnl_stream_destroy(p); }
};

/// A device to compute on. All CPU engines are interchangeable.
struct engine : public handle<dnnl_engine_t> {
    /// Kinds of devices.
    enum class kind : int {
        // enumerators: engine::kind
        any = dnnl_any_engine,
        cpu = dnnl_cpu,
        gpu = dnnl_gpu,
        // end of enumerators
    };

    using handle::handle;

    /// An empty engine.
    engine() = default;

    /// @param akind Kind of device.
    /// @returns Number of devices of a kind; 0 when the library was built without them.
    static size_t get_count(kind akind) { return dnnl_engine_get_count(convert_to_c(akind)); }

    /// Opens device `index` (from 0). Fails with invalid_arguments if there are not that many.
    /// @param akind Kind of device.
    /// @param index Number of the device, 0 to get_count(akind) - 1.
    /// @throws dnnl::error with the status of dnnl_engine_create() if that refuses.
    engine(kind akind, size_t index) {
        dnnl_engine_t c_engine = nullptr;
        error::wrap_c_api(dnnl_engine_create(&c_engine, convert_to_c(akind), index), "could not create an engine");
        reset(c_engine);
    }

    /// v2 spelling: the engine of a primitive descriptor (weak; the descriptor keeps it alive).
    /// @param pd Primitive descriptor to ask.
    /// @throws dnnl::error with the status of dnnl_primitive_desc_query() if that refuses.
    explicit engine(const handle<::dnnl_primitive_desc*>& pd);

    /// @returns The kind of this engine.
    /// @throws dnnl::error with the status of dnnl_engine_get_kind() if that refuses.
    kind get_kind() const {
        dnnl_engine_kind_t c_kind = dnnl_any_engine;
        error::wrap_c_api(dnnl_engine_get_kind(get(), &c_kind), "could not get the kind of an engine");
        return static_cast<engine::kind>(c_kind);
    }

    /// @param pd Primitive descriptor to ask.
    /// @returns v2 spelling of pd.get_engine().
    template <typename primitive_desc> static engine query(const primitive_desc& pd) { return pd.get_engine(); }

private:
    static dnnl_engine_kind_t convert_to_c(kind akind) { return static_cast<dnnl_engine_kind_t>(akind); }
};

/// @param akind Kind.
/// @returns The C number of an engine kind.
inline dnnl_engine_kind_t convert_to_c(engine::kind akind) { return static_cast<dnnl_engine_kind_t>(akind); }

/// A queue of primitive executions on one engine.
struct stream : public handle<dnnl_stream_t> {
    using handle::handle;

    /// How a stream works; bits that may be combined.
    enum class flags : unsigned int {
        // enumerators: stream::flags
        in_order = dnnl_stream_in_order,           ///< Executions finish in the order of their submission.
        out_of_order = dnnl_stream_out_of_order,   ///< Only explicit dependencies order executions.
        default_flags = dnnl_stream_default_flags, ///< The same as in_order.
#ifdef DNNL_EXPERIMENTAL_PROFILING
        profiling = dnnl_stream_profiling, ///< Record one time per execution; see get_profiling_data().
#endif
        // end of enumerators
    };

    /// An empty stream.
    stream() = default;

    /// A stream on `aengine`. Flags an engine does not offer fail with unimplemented.
    /// @param aengine Engine whose primitives the stream runs.
    /// @param aflags How the stream works.
    /// @throws dnnl::error with the status of dnnl_stream_create() if that refuses.
    explicit stream(const engine& aengine, flags aflags = flags::default_flags) {
        dnnl_stream_t c_stream = nullptr;
        error::wrap_c_api(dnnl_stream_create(&c_stream, aengine.get(), static_cast<dnnl_stream_flags_t>(aflags)),
                          "could not create a stream");
        reset(c_stream);
    }

    /// @returns The engine the stream was made for (weak: the stream keeps it alive).
    /// @throws dnnl::error with the status of dnnl_stream_get_engine() if that refuses.
    engine get_engine() const {
        dnnl_engine_t c_engine = nullptr;
        error::wrap_c_api(dnnl_stream_get_engine(get(), &c_engine), "could not get the engine of a stream");
        return engine(c_engine, true);
    }

    /// Blocks until everything submitted so far has finished; failures of those executions surface here.
    /// @returns *this.
    /// @throws dnnl::error with the status of dnnl_stream_wait() if that refuses.
    stream& wait() {
        error::wrap_c_api(dnnl_stream_wait(get()), "could not wait for a stream");
        return *this;
    }
};

DNNL_DEFINE_BITMASK_OPS(stream::flags)

/// Which down-conversions of f32 inputs a primitive may do inside its computation.
enum class fpmath_mode : int {
    // enumerators: fpmath_mode
    strict = dnnl_fpmath_mode_strict, ///< None.
    bf16 = dnnl_fpmath_mode_bf16,     ///< To bf16 or any type at least as precise.
    f16 = dnnl_fpmath_mode_f16,       ///< To f16 or any type at least as precise.
    tf32 = dnnl_fpmath_mode_tf32,     ///< To tf32 or any type at least as precise.
    any = dnnl_fpmath_mode_any,       ///< To any floating-point type.
    // end of enumerators
};

/// @param mode Mode.
/// @returns The C number of a mode.
inline dnnl_fpmath_mode_t convert_to_c(fpmath_mode mode) { return static_cast<dnnl_fpmath_mode_t>(mode); }

/// In which type sums of products may be kept.
enum class accumulation_mode : int {
    // enumerators: accumulation_mode
    strict = dnnl_accumulation_mode_strict,   ///< f32 for floating-point inputs (f64 for f64), s32 for integers.
    relaxed = dnnl_accumulation_mode_relaxed, ///< As strict, but partial sums may round to the tensors' types.
    any = dnnl_accumulation_mode_any,         ///< Whatever is fastest.
    s32 = dnnl_accumulation_mode_s32,         ///< s32.
    f32 = dnnl_accumulation_mode_f32,         ///< f32.
    f16 = dnnl_accumulation_mode_f16,         ///< f16.
    // end of enumerators
};

/// @param mode Mode.
/// @returns The C number of a mode.
inline dnnl_accumulation_mode_t convert_to_c(accumulation_mode mode) {
    return static_cast<dnnl_accumulation_mode_t>(mode);
}

} // namespace dnnl

/// The interface under its longer name, oneapi::dnnl.
namespace oneapi {
/// @cond
namespace dnnl = ::dnnl;
/// @endcond
} // namespace oneapi

#endif
