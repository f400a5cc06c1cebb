// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/train/training_observer.h"

#include <string>

namespace cannery::app {

/// While it lives, an engine that detects a bug in itself marks its run as Failed before it ends,
/// with the sentence as the reason and in `last-words.txt`, so that it is not restarted only to
/// fail again. One at a time; learns the folder as an observer.
class LastWords final : public train::TrainingObserver
{
public:
    LastWords() = default;
    ~LastWords() override;
    LastWords(const LastWords&) = delete;
    LastWords& operator=(const LastWords&) = delete;

    void opened(const std::string& modelDir) override;
};

} // namespace cannery::app
