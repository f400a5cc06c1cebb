#include "app/cannery/prediction_writer.h"

#include "app/cannery/csv_cell.h"

#include <fmt/core.h>
#include <nlohmann/json.hpp>

#include <cerrno>
#include <cmath>
#include <cstring>
#include <utility>

namespace cannery::app {

using Json = nlohmann::ordered_json;

namespace {

constexpr ErrorKind kUnwritable{"predict.unwritable", "Cannot write {}: {}."};

/// The same in every row: how the classes are called.
bool isConstant(const heads::Prediction& prediction)
{
    const std::string key = prediction.key.substr(prediction.key.rfind('/') + 1);
    return key == "all_classes" || key == "all_class_ids";
}

std::string elementText(const heads::Prediction& prediction, std::int64_t index)
{
    const auto at = static_cast<std::size_t>(index);
    switch (prediction.dtype) {
    case DType::String:
        return std::string(prediction.strings[at]);
    case DType::Float32:
        return fmt::format("{}", prediction.floats[at]);
    default:
        return std::to_string(prediction.integers[at]);
    }
}

Json elementJson(const heads::Prediction& prediction, std::int64_t index)
{
    const auto at = static_cast<std::size_t>(index);
    switch (prediction.dtype) {
    case DType::String:
        return std::string(prediction.strings[at]);
    case DType::Float32:
        return std::isfinite(prediction.floats[at])
                   ? Json(prediction.floats[at])
                   : Json(fmt::format("{}", prediction.floats[at]));
    default:
        return prediction.integers[at];
    }
}

const data::FeatureValues* findFeature(const data::FeatureBatch& batch, const std::string& name)
{
    for (const data::FeatureValues& feature : batch.features) {
        if (feature.name == name) {
            return &feature;
        }
    }
    return nullptr;
}

Json keyJson(const data::FeatureBatch& batch, const std::string& name, std::int64_t row)
{
    const data::FeatureValues* feature = findFeature(batch, name);
    const auto at = static_cast<std::size_t>(row);
    if (feature == nullptr || (!feature->valid.empty() && feature->valid[at] == 0)) {
        return nullptr;
    }
    return std::visit(
        [at](const auto& elements) -> Json {
            if constexpr (std::is_same_v<std::decay_t<decltype(elements)>, StringColumn>) {
                return std::string(elements[at]);
            } else {
                return elements[at];
            }
        },
        feature->elements);
}

std::string keyText(const data::FeatureBatch& batch, const std::string& name, std::int64_t row)
{
    const Json value = keyJson(batch, name, row);
    return value.is_null() ? "" : value.is_string() ? value.get<std::string>() : value.dump();
}

} // namespace

Result<PredictionWriter> PredictionWriter::open(const std::string& path, PredictionFormat format,
                                                std::vector<std::string> keyColumns)
{
    std::FILE* stream = path == "-" ? stdout : std::fopen(path.c_str(), "wb");
    if (stream == nullptr) {
        return fail(ErrorCode::PermissionDenied, kUnwritable, path, std::strerror(errno));
    }
    return PredictionWriter(path, stream, format, std::move(keyColumns));
}

PredictionWriter::PredictionWriter(std::string path, std::FILE* stream, PredictionFormat format,
                                   std::vector<std::string> keyColumns)
    : m_path(std::move(path)), m_stream(stream), m_format(format),
      m_keyColumns(std::move(keyColumns))
{}

PredictionWriter::PredictionWriter(PredictionWriter&& other) noexcept
    : m_path(std::move(other.m_path)), m_stream(std::exchange(other.m_stream, nullptr)),
      m_format(other.m_format), m_keyColumns(std::move(other.m_keyColumns)),
      m_hasHeader(other.m_hasHeader)
{}

PredictionWriter::~PredictionWriter()
{
    if (m_stream != nullptr && m_stream != stdout) {
        std::fclose(m_stream);
    }
}

Result<void> PredictionWriter::write(const train::PredictedRows& rows)
{
    if (m_format == PredictionFormat::Csv && !m_hasHeader) {
        writeHeader(rows);
    }
    for (std::int64_t row = 0; row < rows.rowCount; ++row) {
        const std::string line =
            m_format == PredictionFormat::Csv ? csvLine(rows, row) : jsonLine(rows, row);
        if (std::fwrite(line.data(), 1, line.size(), m_stream) != line.size()) {
            return fail(ErrorCode::ResourceExhausted, kUnwritable, m_path, std::strerror(errno));
        }
    }
    return {};
}

Result<void> PredictionWriter::close()
{
    std::FILE* stream = std::exchange(m_stream, nullptr);
    const bool failed = stream == stdout ? std::fflush(stream) != 0 : std::fclose(stream) != 0;
    if (failed) {
        return fail(ErrorCode::ResourceExhausted, kUnwritable, m_path, std::strerror(errno));
    }
    return {};
}

void PredictionWriter::writeHeader(const train::PredictedRows& rows)
{
    m_hasHeader = true;
    std::string line;
    const auto addCell = [&](const std::string& cell) {
        line += (line.empty() ? "" : ",") + csvCell(cell);
    };
    for (const std::string& key : m_keyColumns) {
        addCell(key);
    }
    for (const heads::Prediction& prediction : rows.predictions) {
        if (isConstant(prediction)) {
            continue;
        }
        for (std::int64_t i = 0; i < prediction.width; ++i) {
            addCell(prediction.width == 1 ? prediction.key
                                          : fmt::format("{}_{}", prediction.key, i));
        }
    }
    fmt::print(m_stream, "{}\n", line);
}

std::string PredictionWriter::csvLine(const train::PredictedRows& rows, std::int64_t row) const
{
    std::string line;
    bool first = true;
    const auto addCell = [&](const std::string& cell) {
        line += (first ? "" : ",") + csvCell(cell);
        first = false;
    };
    for (const std::string& key : m_keyColumns) {
        addCell(keyText(rows.rows, key, rows.firstRow + row));
    }
    for (const heads::Prediction& prediction : rows.predictions) {
        for (std::int64_t i = 0; i < prediction.width && !isConstant(prediction); ++i) {
            addCell(elementText(prediction, row * prediction.width + i));
        }
    }
    return line + "\n";
}

std::string PredictionWriter::jsonLine(const train::PredictedRows& rows, std::int64_t row) const
{
    Json object = Json::object();
    for (const std::string& key : m_keyColumns) {
        object[key] = keyJson(rows.rows, key, rows.firstRow + row);
    }
    for (const heads::Prediction& prediction : rows.predictions) {
        Json values = Json::array();
        for (std::int64_t i = 0; i < prediction.width; ++i) {
            values.push_back(elementJson(prediction, row * prediction.width + i));
        }
        object[prediction.key] = prediction.width == 1 ? values[0] : values;
    }
    return object.dump(-1, ' ', false, Json::error_handler_t::replace) + "\n";
}

} // namespace cannery::app
