// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/features/encoded_rows.h"
#include "core/heads/prediction.h"
#include "kernels/device/tensor_view.h"

#include <cstdint>
#include <memory>
#include <vector>

namespace cannery::plan {

class Model;

/// The layers of a model again, over the same weights but with their own buffers, so that several
/// threads can predict at the same time, each with its own ForwardPass. The model must outlive it
/// and not train meanwhile. Gives the bits of Model::predict for any number of threads if both are
/// laid out for the same number of rows; other sizes may choose other kernels, whose sums differ in
/// the last digits.
class ForwardPass
{
public:
    ~ForwardPass();
    ForwardPass(const ForwardPass&) = delete;
    ForwardPass& operator=(const ForwardPass&) = delete;

    /// Every output of the model's head for the rows. Allocates nothing once a batch was as large.
    void predict(const features::EncodedRows& batch, std::vector<heads::Prediction>& predictions);
    /// Of the last batch: [rows, head().logitsWidth()], of each row or of each step.
    kernels::ConstMatrixView logits() const;

private:
    friend class Model;
    struct Parts;
    explicit ForwardPass(std::unique_ptr<Parts> parts);
    std::unique_ptr<Parts> m_parts;
};

} // namespace cannery::plan
