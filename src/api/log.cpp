#include "api/log.hpp"

#include "api/guard.hpp"

#include <vector>

#include "api/handles.hpp"
#include "core/verbose/verbose.hpp"
#include "oneapi/dnnl/dnnl_debug.h"

namespace tessera {

namespace {

std::vector<std::string> header() {
    const dnnl_version_t& v = *dnnl_version();
    const Machine& machine = cpu_engine()->impl->machine();
    return {
        fmt::format("info,Tessera v{}.{}.{} (commit {})", v.major, v.minor, v.patch, v.hash),
        fmt::format("info,cpu,runtime:{},nthr:{}", dnnl_runtime2str(v.cpu_runtime), machine.threads),
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

std::string_view base_name(std::string_view path) {
    const size_t at = path.rfind("/src/");
    return at == path.npos ? path : path.substr(at + 1);
}

// One token "data:..." where the two sides of a shuffle agree, as in the logs people know.
std::string tensors_of(const Problem& p) {
    std::string text;
    if (p.kind == PrimitiveKind::shuffle && p.tensors[0].md == p.tensors[1].md)
        return fmt::format("{}:{}", p.prop == PropKind::backward_data ? "diff_data" : "data",
                           to_token(p.tensors[0].md));
    for (const Tensor& t : p.tensors)
        text += fmt::format("{}{}:{}", text.empty() ? "" : " ", arg_name(t.arg), to_token(t.md, t.was_any));
    return text;
}

} // namespace

void log_refusal(std::string_view function, const Error& error, const Place& where) {
    const std::string place = fmt::format("{}:{}", base_name(where.file), where.line);
    const std::string reason = verbose::as_field(error.reason);
    if (error.status == Status::runtime_error || error.status == Status::out_of_memory) {
        if (verbose::on(verbose::error))
            verbose::write("common", "error", fmt::format("error,runtime,{},{}", reason, place), header);
        return;
    }
    if (error.status == Status::last_impl_reached || error.status == Status::not_required)
        return; // an answer, no error
    const std::string_view kind = kind_created_by(function);
    const bool unsupported = !kind.empty() && error.status == Status::unimplemented;
    if (!verbose::on(unsupported ? verbose::dispatch : verbose::check)) return;
    const char* topic = unsupported                            ? "create:dispatch"
                        : function == "dnnl_primitive_execute" ? "exec:check"
                                                               : "create:check";
    const std::string_view word = !kind.empty() ? kind : function.starts_with("dnnl_") ? function.substr(5) : function;
    verbose::write("primitive", word, fmt::format("{},{},{},{}", topic, word, reason, place), header);
}

void log_primitive(std::string_view how, const Implementation& impl, double milliseconds) {
    const Problem& p = impl.problem;
    verbose::write("primitive", name(p.kind),
                   fmt::format("{},cpu,{},{},{},{},{},{},{},{:g}", how, name(p.kind), impl.name, name(p.prop),
                               tensors_of(p), to_string(p.attr), p.auxiliary(), p.shape(), milliseconds),
                   header);
}

} // namespace tessera
