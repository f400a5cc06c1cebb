// SPDX-License-Identifier: Apache-2.0
#include "app/cannery/reports/export_view.h"

#include "storage/tf/graphs/saved_model_reader.h"

#include <fmt/core.h>

#include <filesystem>

namespace cannery::app {

namespace fs = std::filesystem;

namespace {

using Tensors = std::map<std::string, storage::TensorInfo>;

template <typename Rows>
void addTensors(const Tensors& tensors, Rows& rows)
{
    for (const auto& [key, info] : tensors) {
        reports::SignatureTensor& row = *rows.Add();
        row.set_name(key);
        row.set_dtype(std::string(name(info.dtype)));
        row.mutable_shape()->mutable_dims()->Assign(info.shape.dims.begin(), info.shape.dims.end());
        row.set_tensor(info.name);
    }
}

std::string tensorsText(const Tensors& tensors)
{
    std::string text;
    for (const auto& [key, info] : tensors) {
        text += fmt::format("{}{} {} {}", text.empty() ? "" : ", ", key, name(info.dtype),
                            info.shape.toString());
    }
    return text;
}

std::uint64_t bytesBelow(const std::string& folder)
{
    std::uint64_t bytes = 0;
    std::error_code failure;
    for (fs::recursive_directory_iterator it(folder, failure), end; !failure && it != end;
         it.increment(failure)) {
        std::error_code ignored;
        if (it->is_regular_file(ignored)) {
            bytes += it->file_size(ignored);
        }
    }
    return bytes;
}

} // namespace

Result<ExportedModel> lookAtExport(const std::string& folder)
{
    CANNERY_TRY_ASSIGN(storage::SavedModelContent content, storage::readSavedModel(folder));
    ExportedModel model{.path = folder, .bytes = bytesBelow(folder)};
    // Those of different graphs have different names.
    for (storage::MetaGraph& graph : content.metaGraphs) {
        model.signatures.merge(graph.signatures);
    }
    return model;
}

reports::Export exportReport(const ExportedModel& model)
{
    reports::Export report;
    report.set_path(model.path);
    report.set_bytes(model.bytes);
    for (const auto& [key, signature] : model.signatures) {
        reports::Signature& row = *report.add_signatures();
        row.set_name(key);
        row.set_method(signature.methodName);
        addTensors(signature.inputs, *row.mutable_inputs());
        addTensors(signature.outputs, *row.mutable_outputs());
    }
    return report;
}

std::vector<std::string> signatureLines(const std::map<std::string, storage::Signature>& signatures)
{
    std::vector<std::string> lines;
    lines.reserve(signatures.size());
    for (const auto& [key, signature] : signatures) {
        lines.push_back(fmt::format("{}: {} → {}", key, tensorsText(signature.inputs),
                                    tensorsText(signature.outputs)));
    }
    return lines;
}

} // namespace cannery::app
