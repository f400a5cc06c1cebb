#include "app/cannery/prediction_writer.h"

#include "app/cannery/csv_cell.h"

#include <fmt/compile.h>
#include <nlohmann/json.hpp>

#include <array>
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

void appendElement(const heads::Prediction& prediction, std::int64_t index, std::string& text)
{
    constexpr std::size_t kMostCharacters = 32; // of a float or an int64
    const auto at = static_cast<std::size_t>(index);
    if (prediction.dtype == DType::String) {
        appendCsvCell(prediction.strings[at], text);
        return;
    }
    std::array<char, kMostCharacters> digits;
    const char* end =
        prediction.dtype == DType::Float32
            ? fmt::format_to(digits.data(), FMT_COMPILE("{}"), prediction.floats[at])
            : fmt::format_to(digits.data(), FMT_COMPILE("{}"), prediction.integers[at]);
    text.append(digits.data(), static_cast<std::size_t>(end - digits.data()));
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

Json keyJson(const data::FeatureValues* feature, std::int64_t row)
{
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

void appendKey(const data::FeatureValues* feature, std::int64_t row, std::string& text)
{
    const auto* texts =
        feature == nullptr ? nullptr : std::get_if<StringColumn>(&feature->elements);
    if (texts == nullptr) {
        const Json value = keyJson(feature, row);
        text += value.is_null() ? "" : value.dump();
    } else if (feature->valid.empty() || feature->valid[static_cast<std::size_t>(row)] != 0) {
        appendCsvCell((*texts)[static_cast<std::size_t>(row)], text);
    }
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
      m_format(other.m_format), m_keyColumns(std::move(other.m_keyColumns))
{}

PredictionWriter::~PredictionWriter()
{
    if (m_stream != nullptr && m_stream != stdout) {
        std::fclose(m_stream);
    }
}

Result<void> PredictionWriter::write(std::string_view text)
{
    if (std::fwrite(text.data(), 1, text.size(), m_stream) != text.size()) {
        return fail(ErrorCode::ResourceExhausted, kUnwritable, m_path, std::strerror(errno));
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

void PredictionWriter::appendHeader(const train::PredictedRows& rows, std::string& text) const
{
    if (m_format == PredictionFormat::JsonLines) {
        return;
    }
    bool isFirst = true;
    const auto addCell = [&](const std::string& cell) {
        text += isFirst ? "" : ",";
        appendCsvCell(cell, text);
        isFirst = false;
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
    text += '\n';
}

void PredictionWriter::appendLines(const train::PredictedRows& rows, std::string& text) const
{
    if (m_format == PredictionFormat::Csv) {
        appendCsvLines(rows, text);
        return;
    }
    for (std::int64_t row = 0; row < rows.rowCount; ++row) {
        appendJsonLine(rows, row, text);
    }
}

void PredictionWriter::appendCsvLines(const train::PredictedRows& rows, std::string& text) const
{
    std::vector<const data::FeatureValues*> keys;
    for (const std::string& key : m_keyColumns) {
        keys.push_back(findFeature(rows.rows, key));
    }
    std::vector<const heads::Prediction*> outputs;
    for (const heads::Prediction& prediction : rows.predictions) {
        if (!isConstant(prediction)) {
            outputs.push_back(&prediction);
        }
    }
    for (std::int64_t row = 0; row < rows.rowCount; ++row) {
        for (const data::FeatureValues* key : keys) {
            appendKey(key, rows.firstRow + row, text);
            text += ',';
        }
        for (const heads::Prediction* output : outputs) {
            for (std::int64_t i = 0; i < output->width; ++i) {
                appendElement(*output, row * output->width + i, text);
                text += ',';
            }
        }
        text.back() = '\n';
    }
}

void PredictionWriter::appendJsonLine(const train::PredictedRows& rows, std::int64_t row,
                                      std::string& text) const
{
    Json object = Json::object();
    for (const std::string& key : m_keyColumns) {
        object[key] = keyJson(findFeature(rows.rows, key), rows.firstRow + row);
    }
    for (const heads::Prediction& prediction : rows.predictions) {
        Json values = Json::array();
        for (std::int64_t i = 0; i < prediction.width; ++i) {
            values.push_back(elementJson(prediction, row * prediction.width + i));
        }
        object[prediction.key] = prediction.width == 1 ? values[0] : values;
    }
    text += object.dump(-1, ' ', false, Json::error_handler_t::replace);
    text += '\n';
}

} // namespace cannery::app
