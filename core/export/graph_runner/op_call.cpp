#include "core/export/graph_runner/op_call.h"

#include "core/base/catalog.h"

namespace cannery::exporting {

namespace {

constexpr ErrorKind kInvalid{"export.graph_invalid",
                             "The node {} ({}) of the exported graph {}; the export is of no use."};

} // namespace

Result<const storage::HostTensor*> OpCall::input(std::size_t index) const
{
    if (index >= inputs.size()) {
        return invalid(fmt::format("lacks its input {}", index));
    }
    return &inputs[index]->tensor;
}

Result<std::vector<std::int64_t>> OpCall::integers(std::size_t index) const
{
    CANNERY_TRY_ASSIGN(const storage::HostTensor* tensor, input(index));
    if (tensor->dtype == DType::Int64) {
        const auto values = tensor->values<std::int64_t>();
        return std::vector<std::int64_t>(values.begin(), values.end());
    }
    if (tensor->dtype == DType::Int32) {
        const auto values = tensor->values<std::int32_t>();
        return std::vector<std::int64_t>(values.begin(), values.end());
    }
    return invalid(fmt::format("has {} where integers belong", name(tensor->dtype)));
}

Result<std::int64_t> OpCall::integer(std::size_t index) const
{
    CANNERY_TRY_ASSIGN(const std::vector<std::int64_t> values, integers(index));
    if (values.size() != 1) {
        return invalid(fmt::format("has {} values where one belongs", values.size()));
    }
    return values.front();
}

tl::unexpected<Error> OpCall::invalid(const std::string& what) const
{
    return fail(ErrorCode::InvalidArgument, kInvalid, node.name, node.op, what);
}

OpFunction findOp(std::string_view name)
{
    for (const std::span<const OpRow> group :
         {arrayOps(), mathOps(), sparseOps(), stateOps(), parseOps()}) {
        if (const OpRow* row = findRow(group, name)) {
            return row->run;
        }
    }
    return nullptr;
}

} // namespace cannery::exporting
