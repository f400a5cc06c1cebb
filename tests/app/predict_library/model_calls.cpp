// SPDX-License-Identifier: Apache-2.0
#include "tests/app/predict_library/model_calls.h"

#include "core/data/dataset.h"
#include "core/serving/block_predictor.h"
#include "tests/support/result_compare.h"

#include <QTest>

#include <algorithm>
#include <array>
#include <bit>
#include <fstream>
#include <functional>

namespace cannery::tests {

namespace {

std::int64_t bitsOfText(std::string_view text)
{
    return static_cast<std::int64_t>(std::hash<std::string_view>()(text));
}

/// The values of all outputs of a row of a block.
std::vector<std::int64_t> bitsOfBlock(std::span<const heads::Prediction> predictions,
                                      std::int64_t row)
{
    std::vector<std::int64_t> bits;
    for (const heads::Prediction& prediction : predictions) {
        for (std::int64_t i = row * prediction.width; i < (row + 1) * prediction.width; ++i) {
            const auto at = static_cast<std::size_t>(i);
            bits.push_back(prediction.dtype == DType::Float32
                               ? std::bit_cast<std::int32_t>(prediction.floats[at])
                           : prediction.dtype == DType::String ? bitsOfText(prediction.strings[at])
                                                               : prediction.integers[at]);
        }
    }
    return bits;
}

} // namespace

ModelHandle openHandle(const std::string& path)
{
    cannery_model* model = nullptr;
    const cannery_status status = cannery_model_open(path.c_str(), nullptr, &model);
    return ModelHandle(status == CANNERY_OK ? model : nullptr);
}

RequestHandle requestOf(const ModelHandle& model)
{
    cannery_request* request = nullptr;
    const cannery_status status = cannery_request_create(model.get(), &request);
    return RequestHandle(status == CANNERY_OK ? request : nullptr);
}

TableRow tableRow(int index)
{
    static constexpr std::array kTexts{"a", "b", "d", "other", "", "\u00ff"};
    return {(index * 7919 + 13) % 101 / 10.0 - 2,
            kTexts[static_cast<std::size_t>(index) % kTexts.size()]};
}

cannery_status setRow(const ModelHandle& model, cannery_request* request, const TableRow& row)
{
    std::size_t x = 0;
    std::size_t c = 0;
    cannery_status status = cannery_model_find_input(model.get(), "x", &x);
    if (status == CANNERY_OK) {
        status = cannery_model_find_input(model.get(), "c", &c);
    }
    if (status == CANNERY_OK) {
        status = cannery_request_set_number(request, x, row.x);
    }
    return status == CANNERY_OK ? cannery_request_set_text(request, c, row.c.data(), row.c.size())
                                : status;
}

std::vector<std::int64_t> bitsOf(const ModelHandle& model, cannery_request* request,
                                 std::size_t row)
{
    std::vector<std::int64_t> bits;
    for (std::size_t output = 0; output < cannery_model_output_count(model.get()); ++output) {
        cannery_type type = CANNERY_FLOAT32;
        std::size_t count = 0;
        cannery_model_output(model.get(), output, nullptr, &type, &count);
        for (std::size_t i = row * count; i < (row + 1) * count; ++i) {
            if (type == CANNERY_FLOAT32) {
                bits.push_back(
                    std::bit_cast<std::int32_t>(cannery_request_floats(request, output)[i]));
            } else if (type == CANNERY_STRING) {
                const cannery_text text = cannery_request_texts(request, output)[i];
                bits.push_back(bitsOfText({text.data, text.size}));
            } else {
                bits.push_back(cannery_request_integers(request, output)[i]);
            }
        }
    }
    return bits;
}

std::vector<std::vector<std::int64_t>> expectedBits(train::OpenedModel& model, int count)
{
    data::FeatureBatch rows{.rowCount = count};
    for (const std::string& key : model.encoder.inputKeys()) {
        data::FeatureValues values{.name = key};
        if (key == "x") {
            values.dtype = DType::Float32;
            values.elements = std::vector<float>();
        } else {
            values.elements = StringColumn();
        }
        for (int row = 0; row < count; ++row) {
            const TableRow cells = tableRow(row);
            if (auto* numbers = std::get_if<std::vector<float>>(&values.elements)) {
                numbers->push_back(static_cast<float>(cells.x));
            } else {
                std::get<StringColumn>(values.elements).push_back(cells.c);
                values.valid.push_back(cells.c.empty() ? 0 : 1);
            }
        }
        rows.features.push_back(std::move(values));
    }
    std::vector<std::vector<std::int64_t>> bits;
    const auto predictor = serving::BlockPredictor::create(model.encoder, model.model->model(), {});
    serving::PredictedTable table;
    if (!predictor || !(*predictor)->predict(rows, {}, table)) {
        return bits;
    }
    for (std::int64_t row = 0; row < count; ++row) {
        bits.push_back(bitsOfBlock(table.blocks[static_cast<std::size_t>(row / table.blockRows)],
                                   row % table.blockRows));
    }
    return bits;
}

} // namespace cannery::tests
