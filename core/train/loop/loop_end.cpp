// SPDX-License-Identifier: Apache-2.0
#include "core/train/loop/loop_end.h"

#include <utility>

namespace cannery::train {

void LoopEnd::request(StopReason reason, std::string sentence)
{
    if (!m_isRequested) {
        m_isRequested = true;
        m_reason = reason;
        m_sentence = std::move(sentence);
    }
}

/// A request to save nothing may arrive at any moment: only what is asked here, after
/// isCancelled(), tells which.
void LoopEnd::requestAtOnce()
{
    if (m_control != nullptr && m_control->ending() == Ending::Discard) {
        request(StopReason::Discarded, "Stopped on request, without saving.");
    } else {
        request(StopReason::Cancelled, std::string(kStoppedBySignal));
    }
}

void LoopEnd::becomeCancelled()
{
    m_reason = StopReason::Cancelled;
    m_sentence = kStoppedBySignal;
}

} // namespace cannery::train
