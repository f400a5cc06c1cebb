// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/base/dtype.h"
#include "core/base/result.h"
#include "core/serving/block_predictor.h"
#include "core/serving/row_cells.h"
#include "core/serving/row_predictor.h"
#include "core/train/opened_model.h"

#include <cstddef>
#include <cstdint>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace cannery::app {

/// A model that several threads predict with. Any thread.
class SharedModel
{
public:
    /// A raw feature that the model reads, or an output of its head.
    struct Port
    {
        std::string name;
        DType dtype = DType::Float32;
        std::size_t count = 1; ///< values in a row; 0: any number
    };

    /// See openPredictionModel(); `explains`: with the contributions of features.
    static Result<std::shared_ptr<SharedModel>> open(const std::string& path,
                                                     const std::string& checkpoint, bool explains);

    std::int64_t globalStep() const { return m_opened.globalStep; }
    const std::vector<Port>& inputs() const { return m_inputs; }
    const std::vector<Port>& outputs() const { return m_outputs; }
    /// "predict.no_feature".
    Result<std::size_t> findInput(std::string_view name) const;
    /// "predict.no_such_output".
    Result<std::size_t> findOutput(std::string_view name) const;

    /// Each for one thread at a time; the model must outlive them.
    Result<std::unique_ptr<serving::RowPredictor>> rowPredictor();
    Result<std::unique_ptr<serving::BlockPredictor>> blockPredictor();

private:
    explicit SharedModel(train::OpenedModel opened) : m_opened(std::move(opened)) {}

    train::OpenedModel m_opened;
    std::optional<serving::RowCells> m_cells; ///< knows the inputs by name
    std::vector<Port> m_inputs;
    std::vector<Port> m_outputs;
    std::mutex m_making; ///< predictors
};

} // namespace cannery::app
