// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/spec/training.pb.h"
#include "core/train/hooks/checkpoint_saver_hook.h"

#include <string>
#include <string_view>

namespace cannery::train {

/// A saving_listener of the train_spec: TensorFlow's CheckpointSaverListener with a program in
/// place of Python code. It is run at its moment, in the experiment's folder, and training waits
/// for it; what it writes goes to the run's log. After a save, the checkpoint is on disk before it
/// runs. A training that was told to stop runs no more programs, and kills the one that runs.
///
/// In its words, {checkpoint} is the prefix of the checkpoint of the present step (of the first one
/// at the beginning, when it is not there yet), {model_dir} the run's folder, both absolute, and
/// {global_step} a number.
class CommandListener : public CheckpointListener
{
public:
    /// `folder`: of the experiment file.
    CommandListener(spec::SavingListener listener, std::string folder, std::string modelDir);

    Result<void> begin(TrainingLoop& loop) override;
    Result<void> beforeSave(TrainingLoop& loop) override;
    Result<void> afterSave(TrainingLoop& loop, BegunCheckpoint checkpoint) override;
    Result<void> end(TrainingLoop& loop) override;

private:
    void runAt(spec::SavingListener::Moment moment, TrainingLoop& loop);
    void report(TrainingLoop& loop, const std::string& failure);

    spec::SavingListener m_listener;
    std::string m_folder;
    std::string m_modelDir;
};

} // namespace cannery::train
