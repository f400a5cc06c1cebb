// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/train/loop/training_observer.h"

#include <string>

namespace cannery::app {

/// While it lives, an engine that detects a bug in itself marks its run as Failed before it ends,
/// with the sentence as the reason and in `last-words.txt`, so that it is not restarted only to
/// fail again. One at a time; learns the folder as an observer.
class CrashRecorder final : public train::TrainingObserver
{
public:
    CrashRecorder() = default;
    ~CrashRecorder() override;
    CrashRecorder(const CrashRecorder&) = delete;
    CrashRecorder& operator=(const CrashRecorder&) = delete;

    void opened(const std::string& modelDir) override;
};

} // namespace cannery::app
