// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "kernels/ops/loss.h"
#include "tests/kernels/kernel_compare.h"

#include <QTest>

#include <cstdint>
#include <utility>

namespace cannery::tests {

/// A row of test data, column "index", for each loss that reads logits.
inline void addLosses()
{
    using kernels::Loss;
    QTest::addColumn<int>("index");
    for (const auto& [title, loss] : {std::pair{"sigmoid", Loss::SigmoidCrossEntropy},
                                      {"softmax", Loss::SoftmaxCrossEntropy},
                                      {"squared", Loss::SquaredError},
                                      {"poisson full", Loss::PoissonFull},
                                      {"poisson", Loss::Poisson}}) {
        QTest::addRow("%s", title) << static_cast<int>(loss);
    }
}

/// Random logits [rows, cols], labels that suit the loss, and space for the results.
struct LossCase
{
    LossCase(kernels::Loss which, std::int64_t rows, std::int64_t cols)
        : loss(which), lossCols(which == kernels::Loss::SoftmaxCrossEntropy ? 1 : cols),
          logits(rows, cols, 2), labels(rows, lossCols), losses(rows, lossCols, 1),
          grad(rows, cols, 3)
    {
        logits.fillRandom(1);
        kernels::RandomStream random(2);
        for (float& label : labels.values) {
            label = loss == kernels::Loss::SigmoidCrossEntropy
                        ? random.nextUniform()
                        : static_cast<float>(random.nextBelow(static_cast<std::uint64_t>(cols)));
        }
    }

    kernels::Loss loss;
    std::int64_t lossCols;
    Matrix logits;
    Matrix labels;
    Matrix losses;
    Matrix grad;
};

} // namespace cannery::tests
