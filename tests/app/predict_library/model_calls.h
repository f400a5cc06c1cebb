// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "app/predict_library/cannery_predict.h"
#include "core/train/opened_model.h"

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

namespace cannery::tests {

struct CloseModel
{
    void operator()(cannery_model* model) const { cannery_model_close(model); }
};
struct FreeRequest
{
    void operator()(cannery_request* request) const { cannery_request_free(request); }
};
using ModelHandle = std::unique_ptr<cannery_model, CloseModel>;
using RequestHandle = std::unique_ptr<cannery_request, FreeRequest>;

/// Null after an error.
ModelHandle openHandle(const std::string& path);
RequestHandle requestOf(const ModelHandle& model);

/// A row of a table with a number and a category.
struct TableRow
{
    double x = 0;
    std::string c;
};
/// Rows that differ: known and unknown categories, none, small and large numbers.
TableRow tableRow(int index);
/// Sets the inputs `x` and `c`.
cannery_status setRow(const ModelHandle& model, cannery_request* request, const TableRow& row);

/// The bits of all outputs of a row, one number for each value.
std::vector<std::int64_t> bitsOf(const ModelHandle& model, cannery_request* request,
                                 std::size_t row = 0);
/// The same for the rows tableRow(0) to tableRow(count - 1), by the engine's own BlockPredictor.
std::vector<std::vector<std::int64_t>> expectedBits(train::OpenedModel& model, int count);

} // namespace cannery::tests
