// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/base/result.h"
#include "core/features/encoded_dataset.h"
#include "kernels/accelerator/accelerator.h"

#include <cstdint>
#include <memory>
#include <string>
#include <utility>

namespace cannery::plan {

class DeviceEvaluation;
class Model;

} // namespace cannery::plan

namespace cannery::train {

/// The evaluations of a model on an accelerator, as long as it can. One controlling thread, that of
/// the model, which outlives this.
class DeviceEvaluations
{
public:
    explicit DeviceEvaluations(plan::Model& model);
    ~DeviceEvaluations();
    DeviceEvaluations(const DeviceEvaluations&) = delete;
    DeviceEvaluations& operator=(const DeviceEvaluations&) = delete;

    /// They run there from now on; it outlives the model.
    void runOn(kernels::Accelerator& accelerator, kernels::ProductPrecision precision);
    /// Ready for an evaluation of these rows, until the next call; null: the CPU evaluates. It
    /// stays for the next one of the same rows. Errors: of reading the rows, of the accelerator.
    Result<plan::DeviceEvaluation*> prepare(const features::EncodedDataset& rows,
                                            std::int64_t batchRows);
    /// Frees what it has there; before the rows are gone.
    void forgetRows();
    /// Whether an accelerator's refusal leaves evaluations to the CPU: it has no memory left, or
    /// does not compute this model. From then on the CPU evaluates.
    bool leavesToCpu(const Error& refusal);
    /// Where evaluations run, and why not on the accelerator; empty: as said before.
    std::string takeNote() { return std::exchange(m_note, {}); }

private:
    plan::Model& m_model;
    kernels::Accelerator* m_accelerator = nullptr; ///< null: the CPU evaluates
    kernels::ProductPrecision m_precision = kernels::ProductPrecision::Float32;
    std::unique_ptr<plan::DeviceEvaluation> m_evaluation; ///< of the last rows; or null
    const features::EncodedDataset* m_rows = nullptr;     ///< its own
    std::int64_t m_batchRows = 0;                         ///< of its batches
    std::string m_note;
};

} // namespace cannery::train
