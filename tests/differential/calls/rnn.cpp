#include "row.hpp"

namespace differential {
namespace {

void operands(const Problem&, std::vector<Operand>&, std::vector<Operand>&) {}

dnnl_status_t make(const Problem&, const Operands&, const_dnnl_primitive_attr_t, PrimitiveDescriptor&,
                   std::string& skip) {
    skip = "no grammar yet";
    return dnnl_success;
}

} // namespace

constinit const WorkRow rnn_work = {.operands = operands, .create = make};

} // namespace differential
