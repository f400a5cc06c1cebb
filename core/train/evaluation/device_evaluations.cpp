// SPDX-License-Identifier: Apache-2.0
#include "core/train/evaluation/device_evaluations.h"

#include "core/plan/device/device_evaluation.h"
#include "core/plan/inference.h"
#include "core/plan/model.h"
#include "kernels/accelerator/errors.h"

namespace cannery::train {

namespace {

constexpr const char* kRowsAreThere = "Evaluations run on the GPU, which has their rows.";
constexpr const char* kRowsAreBroughtThere =
    "Evaluations run on the GPU; their rows do not fit into its memory, and batches are brought "
    "there while it computes.";

} // namespace

DeviceEvaluations::DeviceEvaluations(plan::Model& model) : m_model(model) {}
DeviceEvaluations::~DeviceEvaluations() = default;

void DeviceEvaluations::runOn(kernels::Accelerator& accelerator,
                              kernels::ProductPrecision precision)
{
    m_accelerator = &accelerator;
    m_precision = precision;
}

Result<plan::DeviceEvaluation*> DeviceEvaluations::prepare(const features::EncodedDataset& rows,
                                                           std::int64_t batchRows)
{
    if (m_accelerator == nullptr) {
        return nullptr;
    }
    // The rows on the device are kept between evaluations: copying them there takes longer than
    // using them.
    if (m_rows != &rows || m_batchRows != batchRows) {
        // The new table's memory may only be free once the old one is gone.
        forgetRows();
        auto made = m_model.inference().createDeviceEvaluation({.accelerator = *m_accelerator,
                                                                .precision = m_precision,
                                                                .rows = rows,
                                                                .batchRows = batchRows});
        if (!made && leavesToCpu(made.error())) {
            return nullptr;
        }
        CANNERY_TRY_ASSIGN(m_evaluation, std::move(made));
        m_rows = &rows;
        m_batchRows = batchRows;
        m_note = m_evaluation->hasTable() ? kRowsAreThere : kRowsAreBroughtThere;
    }
    CANNERY_TRY(m_evaluation->begin());
    return m_evaluation.get();
}

void DeviceEvaluations::forgetRows()
{
    m_evaluation.reset();
    m_rows = nullptr;
}

bool DeviceEvaluations::leavesToCpu(const Error& refusal)
{
    // Too little memory or an operation that the device lacks: the CPU can do both. Other errors
    // are the device's own and are reported.
    const bool isLeft =
        refusal.id == kernels::kGpuMemory.id || refusal.code == ErrorCode::Unimplemented;
    if (isLeft) {
        // No later evaluation tries again: the refusal would be the same.
        m_accelerator = nullptr;
        forgetRows();
        m_note = "The CPU evaluates: " + refusal.message();
    }
    return isLeft;
}

} // namespace cannery::train
