// SPDX-License-Identifier: Apache-2.0
#include "tests/core/estimators/own_step_training.h"

#include "tests/support/result_compare.h"

#include <algorithm>
#include <optional>
#include <span>

namespace cannery {

Result<double> trainOnce(plan::Model& model, const features::EncodedRows& rows, std::int64_t step)
{
    CANNERY_TRY_ASSIGN(const std::optional<double> loss,
                       model.train(std::span<const features::EncodedRows>(&rows, 1), step));
    return loss.value();
}

void copyState(plan::Model& from, plan::Model& to)
{
    const auto source = from.state();
    const auto target = to.state();
    QCOMPARE(source.size(), target.size());
    for (std::size_t i = 0; i < source.size(); ++i) {
        if (target[i].restore) {
            VERIFY_OK(target[i].restore(source[i].shape, source[i].bytes));
        } else {
            std::ranges::copy(source[i].bytes, target[i].bytes.begin());
        }
    }
}

} // namespace cannery
