// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/base/result.h"
#include "core/features/encoded_rows.h"
#include "core/graph/lowered_model.h"
#include "core/heads/head.h"
#include "core/heads/prediction.h"
#include "core/plan/network.h"
#include "kernels/device/tensor_view.h"

#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

namespace cannery::plan {

class Learner;

/// Tells predictions which row they are of if they are of steps; `network` has made the logits.
void groupBySteps(const graph::LoweredModel& lowered, const Network& network,
                  std::vector<heads::Prediction>& predictions);

/// The layers of a model again, over the same weights but with their own buffers, so that several
/// threads can predict at the same time, each with its own ForwardPass. The model must outlive it
/// and not train meanwhile. Gives the bits of Inference::predict for any number of threads if both
/// are laid out for the same number of rows; other sizes may choose other kernels, whose sums
/// differ in the last digits.
class ForwardPass
{
public:
    /// Of the model.
    struct Parts
    {
        const graph::LoweredModel& lowered;
        Variables& variables;
        heads::Head& head;
        const Learner* learner = nullptr; ///< null: layers make the logits
        bool explains = false;            ///< predictions come with contributions
    };
    /// For batches of about this many rows. Errors: of Network::create.
    static Result<std::unique_ptr<ForwardPass>> create(const Parts& parts, std::int64_t maxRows);

    /// Every output of the model's head for the rows. Allocates nothing once a batch was as large.
    void predict(const features::EncodedRows& batch, std::vector<heads::Prediction>& predictions);
    /// Of the last batch: [rows, head().logitsWidth()], of each row or of each step.
    kernels::ConstMatrixView logits() const;

private:
    explicit ForwardPass(const Parts& parts) : m_parts(parts) {}
    void prepare(std::int64_t maxRows);

    Parts m_parts;
    std::unique_ptr<Network> m_network;
    layers::Worker m_worker;
    std::vector<float> m_learned;      ///< logits of a learner
    std::int64_t m_rows = 0;           ///< of the last batch
    std::size_t m_headPredictions = 0; ///< of the last batch; explanations follow them
};

} // namespace cannery::plan
