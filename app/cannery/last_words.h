// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/train/training_observer.h"

namespace cannery::app {

/// While it lives, an engine that finds a bug in itself leaves its run as Failed, with the sentence
/// as its reason and in `last-words.txt`, before it ends: nobody need start it again to see the
/// same. One at a time; told of the folder as any observer.
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
