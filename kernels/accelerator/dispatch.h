// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "kernels/accelerator/bodies/activation.h"
#include "kernels/accelerator/bodies/batch_norm.h"
#include "kernels/accelerator/bodies/center_sums.h"
#include "kernels/accelerator/bodies/centers.h"
#include "kernels/accelerator/bodies/column_sums.h"
#include "kernels/accelerator/bodies/dropout.h"
#include "kernels/accelerator/bodies/gather.h"
#include "kernels/accelerator/bodies/gradients.h"
#include "kernels/accelerator/bodies/histogram.h"
#include "kernels/accelerator/bodies/lookup.h"
#include "kernels/accelerator/bodies/lookup_gradient.h"
#include "kernels/accelerator/bodies/loss.h"
#include "kernels/accelerator/bodies/optimizer.h"
#include "kernels/accelerator/bodies/parts.h"
#include "kernels/accelerator/bodies/recurrent.h"
#include "kernels/accelerator/bodies/sparse.h"
#include "kernels/accelerator/bodies/steps.h"
#include "kernels/accelerator/bodies/totals.h"
#include "kernels/accelerator/bodies/values.h"

#include <variant>

namespace cannery::kernels {

/// Runs an operation: which bodies in which order, the same for every device. Nothing here reads
/// the device's memory. Launcher has
///   void forEach(std::int64_t count, const Body&);        // elementwise; see bodies/element.h
///   void forEachBlock(std::int64_t blocks, const Body&);  // blockwise; 0 blocks: nothing
///   void sort(const bodies::SortPairs&);
///   void product(const Product&);
///   void meet(const ExchangeParts&);  // and the others of kMeetsOthers
///   double* partialSums();     // bodies::kMostPartialSums numbers on the device
/// and each call's work begins when that of the call before is done.
template <typename Launcher>
void dispatch(Launcher& launcher, const Operation& operation)
{
    std::visit(
        [&](const auto& work) {
            if constexpr (std::is_same_v<decltype(work), const Product&>) {
                launcher.product(work);
            } else if constexpr (kMeetsOthers<std::remove_cvref_t<decltype(work)>>) {
                launcher.meet(work);
            } else {
                bodies::run(launcher, work);
            }
        },
        operation);
}

} // namespace cannery::kernels
