// SPDX-License-Identifier: Apache-2.0
#include "app/cannery/reports/export_view.h"

#include "core/base/json_text.h"
#include "storage/tf/graphs/saved_model_reader.h"

#include <fmt/core.h>
#include <nlohmann/json.hpp>

#include <filesystem>

namespace cannery::app {

namespace fs = std::filesystem;
using Json = nlohmann::ordered_json;

namespace {

using Tensors = std::map<std::string, storage::TensorInfo>;

Json tensorsJson(const Tensors& tensors)
{
    Json list = Json::array();
    for (const auto& [key, info] : tensors) {
        list.push_back({{"name", key},
                        {"dtype", std::string(name(info.dtype))},
                        {"shape", info.shape.dims},
                        {"tensor", info.name}});
    }
    return list;
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

std::string signaturesJson(const std::map<std::string, storage::Signature>& signatures)
{
    Json list = Json::array();
    for (const auto& [key, signature] : signatures) {
        list.push_back({{"name", key},
                        {"method", signature.methodName},
                        {"inputs", tensorsJson(signature.inputs)},
                        {"outputs", tensorsJson(signature.outputs)}});
    }
    return jsonText(list);
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
