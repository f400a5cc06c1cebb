// SPDX-License-Identifier: Apache-2.0
#include "core/heads/class_names.h"

#include <algorithm>

namespace cannery::heads {

std::vector<std::string> classNames(const std::vector<std::string>& vocabulary,
                                    std::int64_t classes)
{
    if (!vocabulary.empty()) {
        return vocabulary;
    }
    std::vector<std::string> names;
    for (std::int64_t id = 0; id < classes; ++id) {
        names.push_back(std::to_string(id));
    }
    return names;
}

std::int64_t argmax(std::span<const float> values)
{
    return std::max_element(values.begin(), values.end()) - values.begin();
}

void shapePredictions(std::span<const PredictionShape> shapes, std::int64_t logits,
                      std::int64_t rows, std::vector<Prediction>& predictions)
{
    predictions.resize(shapes.size());
    for (std::size_t i = 0; i < shapes.size(); ++i) {
        Prediction& prediction = predictions[i];
        prediction.key = shapes[i].key;
        prediction.dtype = shapes[i].dtype;
        prediction.width = shapes[i].width;
        prediction.isConstant = shapes[i].isConstant;
        prediction.stepOffsets.clear();
        // A constant output is the same for each row, and has rows also where logits are steps.
        const std::int64_t count = prediction.isConstant ? rows : logits;
        const auto size = static_cast<std::size_t>(count * prediction.width);
        prediction.floats.resize(prediction.dtype == DType::Float32 ? size : 0);
        prediction.integers.resize(isInteger(prediction.dtype) ? size : 0);
        // Constant texts are kept from the last batch if the size is the same.
        if (!shapes[i].isConstant || prediction.strings.size() != size) {
            prediction.strings.clear();
        }
    }
}

void copyRows(kernels::ConstMatrixView src, std::vector<float>& dst)
{
    auto out = dst.begin();
    for (std::int64_t row = 0; row < src.rows; ++row) {
        const auto values = src.row(row);
        out = std::copy(values.begin(), values.end(), out);
    }
}

void fillAllClassIds(Prediction& prediction)
{
    const auto width = static_cast<std::size_t>(prediction.width);
    for (std::size_t row = 0; row < prediction.integers.size(); row += width) {
        for (std::size_t id = 0; id < width; ++id) {
            prediction.integers[row + id] = static_cast<std::int64_t>(id);
        }
    }
}

void fillAllClasses(std::span<const std::string> names, std::int64_t rows, Prediction& prediction)
{
    if (!prediction.strings.empty()) {
        return;
    }
    for (std::int64_t row = 0; row < rows; ++row) {
        for (const std::string& name : names) {
            prediction.strings.push_back(name);
        }
    }
}

} // namespace cannery::heads
