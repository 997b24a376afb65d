// SPDX-License-Identifier: Apache-2.0
#include "api/log/log.hpp"

#include "api/guard.hpp"
#include "api/log/fields.hpp"

#include <algorithm>
#include <vector>

#include "api/objects/handles.hpp"
#include "core/verbose/verbose.hpp"
#include "oneapi/dnnl/dnnl_debug.h"
#include "oneapi/dnnl/dnnl_tessera.h"

namespace tessera {

namespace {

std::vector<std::string> header() {
    const dnnl_version_t& v = *dnnl_version();
    const Machine& machine = cpu_engine()->impl->machine();
    return {
        fmt::format("info,Tessera v{} for oneDNN v{}.{}.{} (commit {})", dnnl_tessera_version(), v.major, v.minor,
                    v.patch, v.hash),
        fmt::format("info,cpu,runtime:{},nthr:{}", dnnl_runtime2str(v.cpu_runtime), cpu_engine()->impl->threads()),
        fmt::format("info,cpu,isa:{}", machine.name),
        fmt::format("info,gpu,runtime:{}", dnnl_runtime2str(v.gpu_runtime)),
        fmt::format("primitive,info,template:{}operation,engine,primitive,implementation,prop_kind,"
                    "memory_descriptors,attributes,auxiliary,problem_desc,exec_time",
                    verbose::timestamps() ? "timestamp," : ""),
    };
}

// "reorder" of "dnnl_reorder_primitive_desc_create", "shuffle" of "dnnl_shuffle_forward_primitive_desc_create";
// "" for calls that create no primitive descriptor.
std::string_view kind_created_by(std::string_view function) {
    const size_t end = function.find("_primitive_desc_create");
    if (end == function.npos || !function.starts_with("dnnl_")) return "";
    std::string_view kind = function.substr(5, end - 5);
    for (const std::string_view suffix : {"_forward", "_backward_data", "_backward_weights", "_backward"})
        if (kind.ends_with(suffix)) return kind.substr(0, kind.size() - suffix.size());
    return kind;
}

// Separates the name of a primitive from the reason: "reorder: src has ...".
constexpr std::string_view separator = ": ";

// "reorder" of "reorder: src has ..."; "" for reasons that begin with no primitive.
std::string_view kind_named_by(std::string_view reason) {
    const size_t end = reason.find(separator);
    if (end == reason.npos) return "";
    const std::string_view word = reason.substr(0, end);
    for (int number = 1;; ++number) { // primitive kinds are numbered without gaps
        const std::string_view kind = dnnl_prim_kind2str(static_cast<dnnl_primitive_kind_t>(number));
        if (kind == word) return kind;
        if (kind.starts_with("unknown")) return "";
    }
}

// The fields before the reason, and the primitive that a filter may name beside the component.
struct Subject {
    std::string_view component, operation, word, kind;
};

Subject subject_of(std::string_view function, const Error& error) {
    if (const std::string_view kind = kind_created_by(function); !kind.empty())
        return {"primitive", "create:check", kind, kind};
    const std::string_view call = function.starts_with("dnnl_") ? function.substr(5) : function;
    const std::string_view kind = kind_named_by(error.reason);
    if (call == "primitive_execute") return {"primitive", "exec:check", "primitive", kind};
    if (call.starts_with("memory_")) return {"common", "create:check", "memory", ""};
    if (call.starts_with("primitive_") && !call.starts_with("primitive_attr_"))
        return {"primitive", "create:check", "primitive", kind};
    return {"common", "create:check", call, ""};
}

std::string_view base_name(std::string_view path) {
    const size_t at = path.rfind("/src/");
    return at == path.npos ? path : path.substr(at + 1);
}

} // namespace

size_t put_refusal_text(std::span<char> to, std::string_view function, const Error& error) noexcept {
    const std::string_view kind = kind_created_by(function);
    const std::string_view reason = error.reason;
    const std::string_view primitive = kind_named_by(reason);
    const bool named = !primitive.empty() ||
                       (!kind.empty() && reason.starts_with(kind) && reason.substr(kind.size()).starts_with(' '));
    const std::string_view parts[] = {named ? "" : function, named ? "" : separator, reason};
    size_t end = 0;
    for (const std::string_view part : parts) end += part.copy(to.data() + end, to.size() - 1 - end);
    constexpr std::string_view more = "...";
    if (parts[0].size() + parts[1].size() + reason.size() > end) more.copy(to.data() + end - more.size(), more.size());
    to[end] = 0;
    const size_t skipped = !primitive.empty() && !kind.empty() ? primitive.size() + separator.size() : 0;
    return std::min(parts[0].size() + parts[1].size() + skipped, end);
}

namespace {

template <typename Body> void without_throwing(const Body& body) noexcept {
    try {
        body();
    } catch (...) {} // of bad_alloc: see the header
}

} // namespace

void log_refusal(std::string_view function, const Error& error, const Place& where) noexcept {
    if (error.status == Status::last_impl_reached || error.status == Status::not_required)
        return; // a result, not an error
    without_throwing([&] {
        // A missing engine is logged as an error of the machine, although its status is invalid_arguments (VRB-07).
        const bool by_machine = error.status == Status::runtime_error || error.status == Status::out_of_memory ||
                                function == "dnnl_engine_create";
        const std::string_view created = kind_created_by(function);
        const bool unsupported = !created.empty() && error.status == Status::unimplemented;
        if (!verbose::on(by_machine ? verbose::error : unsupported ? verbose::dispatch : verbose::check)) return;

        const Subject s = by_machine ? Subject{"common", "error", "runtime", ""} : subject_of(function, error);
        std::string_view reason = error.reason;
        if (s.word == kind_named_by(reason)) reason.remove_prefix(s.word.size() + separator.size());
        verbose::write(s.component, s.kind,
                       fmt::format("{},{},{},{}:{}", unsupported && !by_machine ? "create:dispatch" : s.operation,
                                   s.word, verbose::as_field(reason), base_name(where.file), where.line),
                       header);
    });
}

namespace {

std::string fields_of(std::string_view how, const Implementation& impl, const Problem& asked) {
    const Problem& p = impl.problem;
    const std::string_view engine = impl.engine == EngineKind::gpu ? "gpu" : "cpu";
    return fmt::format("{},{},{},{},{},{},{},{},{}", how, engine, name(p.kind), impl.name, name(p.prop), tensors_of(p),
                       to_string(p.attr), asked.auxiliary(), shape_of(p));
}

} // namespace

void log_primitive(std::string_view how, const Implementation& impl, const Problem& asked,
                   double milliseconds) noexcept {
    without_throwing([&] {
        verbose::write("primitive", name(impl.problem.kind),
                       fmt::format("{},{:g}", fields_of(how, impl, asked), milliseconds), header);
    });
}

void log_fallback(const Implementation& impl) noexcept {
    without_throwing([&] {
        verbose::write("primitive", name(impl.problem.kind),
                       fmt::format("{},{}", fields_of("create:dispatch", impl, impl.problem),
                                   verbose::as_field(impl.executable->fallback())),
                       header);
    });
}

void log_argument(std::string_view kind, const std::function<std::string()>& text) noexcept {
    if (!verbose::on(verbose::check)) return;
    without_throwing([&] {
        verbose::write("primitive", kind, fmt::format("exec:check,primitive,{}", verbose::as_field(text())), header);
    });
}

void log_execution(std::string_view kind, const std::function<std::string()>& rest) noexcept {
    without_throwing([&] { verbose::write("primitive", kind, fmt::format("exec,cpu,{},{}", kind, rest()), header); });
}

} // namespace tessera
