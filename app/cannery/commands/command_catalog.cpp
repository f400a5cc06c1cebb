// SPDX-License-Identifier: Apache-2.0
#include "app/cannery/commands/command_catalog.h"

#include "app/cannery/commands/attach_command.h"
#include "app/cannery/commands/browse_command.h"
#include "app/cannery/commands/check_command.h"
#include "app/cannery/commands/checkpoint_command.h"
#include "app/cannery/commands/completion_command.h"
#include "app/cannery/commands/convert_command.h"
#include "app/cannery/commands/diff_command.h"
#include "app/cannery/commands/doctor_command.h"
#include "app/cannery/commands/evaluate_command.h"
#include "app/cannery/commands/export_command.h"
#include "app/cannery/commands/fmt_command.h"
#include "app/cannery/commands/help_command.h"
#include "app/cannery/commands/inspect_command.h"
#include "app/cannery/commands/launch_command.h"
#include "app/cannery/commands/new_command.h"
#include "app/cannery/commands/pause_command.h"
#include "app/cannery/commands/plan_command.h"
#include "app/cannery/commands/predict_command.h"
#include "app/cannery/commands/preview_command.h"
#include "app/cannery/commands/queue_command.h"
#include "app/cannery/commands/resume_command.h"
#include "app/cannery/commands/runs_command.h"
#include "app/cannery/commands/stop_command.h"
#include "app/cannery/commands/sweep_command.h"
#include "app/cannery/commands/train_command.h"
#include "app/cannery/commands/validate_command.h"
#include "app/cannery/commands/verify_command.h"
#include "app/cannery/commands/worker_command.h"

#include <array>

namespace cannery::app {

namespace {

template <typename Kind>
std::unique_ptr<Command> make()
{
    return std::make_unique<Kind>();
}

constexpr std::array kCommands{
    CommandRow{"new", "Create a starting experiment for a table", make<NewCommand>},
    CommandRow{"train", "Train, evaluate and export an experiment", make<TrainCommand>},
    CommandRow{"worker", "Train as a task of the cluster that TF_CONFIG, Kubernetes or Slurm names",
               make<WorkerCommand>},
    CommandRow{"launch", "Train with a cluster of processes on this machine", make<LaunchCommand>},
    CommandRow{"sweep", "Train an experiment with many values of some fields, and compare",
               make<SweepCommand>},
    CommandRow{"resume", "Continue a run from its latest checkpoint", make<ResumeCommand>},
    CommandRow{"attach", "Watch a running training", make<AttachCommand>},
    CommandRow{"pause", "Pause a running training, or resume it", make<PauseCommand>},
    CommandRow{"checkpoint", "Save a checkpoint of a running training now",
               make<CheckpointCommand>},
    CommandRow{"stop", "End a running training", make<StopCommand>},
    CommandRow{"evaluate", "Evaluate a checkpoint", make<EvaluateCommand>},
    CommandRow{"predict", "Predict for the rows of a file", make<PredictCommand>},
    CommandRow{"export", "Write a SavedModel", make<ExportCommand>},
    CommandRow{"check", "Report every problem of an experiment", make<CheckCommand>},
    CommandRow{"plan", "Show layers, parameters, memory and time of a training", make<PlanCommand>},
    CommandRow{"fmt", "Format experiment files", make<FmtCommand>},
    CommandRow{"diff", "Compare two experiments", make<DiffCommand>},
    CommandRow{"preview", "Show the first rows as the model sees them", make<PreviewCommand>},
    CommandRow{"browse", "Show, filter and sort the rows of a table of any size",
               make<BrowseCommand>},
    CommandRow{"convert", "Write a table as CSV or as TFRecord with its schema",
               make<ConvertCommand>},
    CommandRow{"validate", "Compare a table with a schema, and training with evaluation",
               make<ValidateCommand>},
    CommandRow{"inspect", "Show what is inside a checkpoint, event file, SavedModel or TFRecord",
               make<InspectCommand>},
    CommandRow{"runs", "List, show, compare, name and delete runs", make<RunsCommand>},
    CommandRow{"queue", "Manage the queue of experiments to train", make<QueueCommand>},
    CommandRow{"verify", "Read everything in a project and report what is damaged",
               make<VerifyCommand>},
    CommandRow{"doctor", "Show what this machine offers", make<DoctorCommand>},
    CommandRow{"help", "Explain a command or a schema field", make<HelpCommand>},
    CommandRow{"completion", "Print completions for bash, zsh or fish", make<CompletionCommand>},
};

} // namespace

std::span<const CommandRow> commandCatalog()
{
    return kCommands;
}

} // namespace cannery::app
