// SPDX-License-Identifier: Apache-2.0
#include "core/train/loop/training_device.h"

#include "core/plan/device/device_member.h"
#include "core/spec/strategy_devices.h"
#include "core/train/records/engine_name.h"
#include "kernels/accelerator/errors.h"
#include "kernels/accelerator/plugin.h"

#include <fmt/format.h>

#include <charconv>
#include <string_view>
#include <utility>

namespace cannery::train {
namespace {

using Kind = spec::TrainingPlace::Kind;

constexpr ErrorKind kSmallerBatch{"gpu.smaller_batch",
                                  "{0} It fits with train_spec.input.batch_size: {1}."};
constexpr ErrorKind kNoBatchFits{"gpu.no_batch_fits",
                                 "{0} No size of batch fits: train this model on the CPU."};
constexpr ErrorKind kTooFewGpus{
    "gpu.too_few",
    "Task {0} of this host has no GPU of its own, as the host has {1}: start at most {1} there."};
constexpr std::string_view kGpuPrefix = "GPU:";

/// As the rate of a training is shown.
std::string rateText(double stepsPerSecond)
{
    return stepsPerSecond < 100 ? fmt::format("{:.3g}", stepsPerSecond)
                                : fmt::format("{:.0f}", stepsPerSecond);
}

class DeviceChoice
{
public:
    explicit DeviceChoice(const DeviceQuestion& question)
        : m_question(question), m_place(spec::trainingPlaceOf(question.experiment.strategy())),
          m_batchSize(question.experiment.train_spec().input().batch_size())
    {}

    Result<ChosenDevice> choose()
    {
        if (m_place.kind == Kind::Cpu) {
            return onCpu();
        }
        if (m_place.kind == Kind::Gpu) {
            return onGpus(m_place.gpus);
        }
        if (m_place.kind == Kind::TaskGpu) {
            return onGpuOfTask();
        }
        // A run that is resumed stays on its device, whose bits are its own, and is not measured
        // again.
        if (!m_question.before.empty()) {
            return goOn();
        }
        return m_place.kind == Kind::Faster ? fasterOne() : gpuIfThereIsOne();
    }

private:
    Result<ChosenDevice> onCpu()
    {
        ChosenDevice chosen{.device = {.notes = m_notes}};
        CANNERY_TRY_ASSIGN(chosen.model, m_question.make({}, m_batchSize));
        return chosen;
    }

    std::string precision() const
    {
        return spec::NumberFormat::Kind_Name(m_question.experiment.strategy().precision());
    }

    Result<ChosenDevice> onGpu(std::int64_t index) { return onGpus({index}); }

    /// Tasks that see the same GPUs share them out; others see one of their own.
    Result<ChosenDevice> onGpuOfTask()
    {
        CANNERY_TRY_ASSIGN(kernels::AcceleratorPlugin* const plugin, m_question.plugin());
        CANNERY_TRY_ASSIGN(const std::vector<kernels::AcceleratorFacts> all, plugin->devices());
        const std::int64_t rank = m_question.rankOnHost;
        if (std::ssize(all) > 1 && rank >= std::ssize(all)) {
            return fail(ErrorCode::FailedPrecondition, kTooFewGpus, rank + 1, all.size());
        }
        return onGpu(std::ssize(all) > 1 ? rank : 0);
    }

    Result<ChosenDevice> onGpus(const std::vector<std::int64_t>& indices)
    {
        CANNERY_TRY_ASSIGN(kernels::AcceleratorPlugin* const plugin, m_question.plugin());
        ChosenDevice chosen{.device = {.notes = m_notes}};
        std::vector<std::string> names;
        std::vector<kernels::Accelerator*> accelerators;
        for (const std::int64_t index : indices) {
            CANNERY_TRY_ASSIGN(auto accelerator, plugin->open(index));
            accelerators.push_back(accelerator.get());
            chosen.device.accelerators.push_back(std::move(accelerator));
            names.push_back(fmt::format("{}{}", kGpuPrefix, index));
        }
        if (accelerators.size() > 1) {
            CANNERY_TRY_ASSIGN(const kernels::GroupId id, plugin->makeGroupId());
            const auto size = static_cast<std::int64_t>(accelerators.size());
            CANNERY_TRY(plan::formGroup(id, accelerators, {.rank = 0, .size = size}));
        }
        chosen.device.name =
            fmt::format("{} ({})", fmt::join(names, ", "), accelerators.front()->facts().name);
        chosen.device.choice = fmt::format("{}, {}", chosen.device.name, precision());
        Result<std::unique_ptr<plan::Model>> model = m_question.make(accelerators, m_batchSize);
        if (!model) {
            return tl::make_unexpected(withBatchThatFits(std::move(model).error(), accelerators));
        }
        chosen.model = *std::move(model);
        return chosen;
    }

    /// Models of smaller batches are planned for the sentence alone: the size of a batch decides
    /// what is learned, so that it is the user's to change.
    Error withBatchThatFits(Error refusal,
                            std::span<kernels::Accelerator* const> accelerators) const
    {
        if (refusal.id != kernels::kGpuMemory.id) {
            return refusal;
        }
        for (std::int64_t batch = m_batchSize / 2; batch > 0; batch /= 2) {
            if (m_question.make(accelerators, batch)) {
                return error(refusal.code, kSmallerBatch, refusal.sentence, batch)
                    .at("train_spec.input.batch_size");
            }
        }
        return error(refusal.code, kNoBatchFits, refusal.sentence);
    }

    Result<ChosenDevice> gpuIfThereIsOne()
    {
        Result<ChosenDevice> gpu = onGpu(0);
        return gpu ? std::move(gpu) : insteadOfGpu(gpu.error());
    }

    Result<ChosenDevice> insteadOfGpu(const Error& reason)
    {
        m_notes.push_back(fmt::format("The CPU trains: {}", reason.message()));
        return onCpu();
    }

    Result<ChosenDevice> goOn()
    {
        const std::optional<std::int64_t> gpu = gpuIn(m_question.before);
        Result<ChosenDevice> chosen = gpu ? onGpu(*gpu) : onCpu();
        if (chosen) {
            // The old text may go on with the rates that were measured, which stay on record.
            const bool isSame = m_question.before.starts_with(chosen->device.name);
            chosen->device.choice = isSame ? m_question.before : chosen->device.choice;
            return chosen;
        }
        if (!gpu) {
            return chosen;
        }
        m_notes.push_back(fmt::format("This run was trained on {}. The CPU goes on: {}",
                                      m_question.before, chosen.error().message()));
        return onCpu();
    }

    /// Each is tried with a model of its own, one at a time: both need not fit at once.
    Result<ChosenDevice> fasterOne()
    {
        const Result<Tried> gpu = tried(onGpu(0));
        if (!gpu) {
            return insteadOfGpu(gpu.error());
        }
        CANNERY_TRY_ASSIGN(const Tried cpu, tried(onCpu()));
        const bool isGpuFaster = gpu->rate > cpu.rate;
        const std::string gpuRate = rateText(gpu->rate);
        const std::string cpuRate = rateText(cpu.rate);
        m_notes.push_back(fmt::format("{} is faster and trains: {} steps per second on {}, {} on "
                                      "the CPU, tried for a moment.",
                                      isGpuFaster ? gpu->name : "The CPU", gpuRate, gpu->name,
                                      cpuRate));
        CANNERY_TRY_ASSIGN(ChosenDevice chosen, isGpuFaster ? onGpu(0) : onCpu());
        chosen.device.choice +=
            isGpuFaster ? fmt::format(": {} steps/s, {} on the CPU", gpuRate, cpuRate)
                        : fmt::format(": {} steps/s, {} on {}", cpuRate, gpuRate, gpu->name);
        return chosen;
    }

    struct Tried
    {
        std::string name;
        double rate = 0;
    };
    /// The model is destroyed on return, so that its memory is free for the next one.
    Result<Tried> tried(Result<ChosenDevice> made) const
    {
        CANNERY_TRY_ASSIGN(const ChosenDevice chosen, std::move(made));
        CANNERY_TRY_ASSIGN(const double rate, m_question.rate(*chosen.model));
        return Tried{.name = chosen.device.name, .rate = rate};
    }

    const DeviceQuestion& m_question;
    spec::TrainingPlace m_place;
    std::int64_t m_batchSize;
    std::vector<std::string> m_notes;
};

} // namespace

std::optional<std::int64_t> gpuIn(std::string_view device)
{
    if (!device.starts_with(kGpuPrefix)) {
        return std::nullopt;
    }
    const std::string_view digits = device.substr(kGpuPrefix.size());
    std::int64_t index = 0;
    const auto [end, code] = std::from_chars(digits.data(), digits.data() + digits.size(), index);
    return code == std::errc() ? std::optional(index) : std::nullopt;
}

std::string engineOf(const TrainingDevice& device)
{
    return device.accelerators.empty() ? engineName()
                                       : engineName(device.accelerators.front()->facts().name);
}

Result<kernels::GroupId> makeGroupId()
{
    CANNERY_TRY_ASSIGN(kernels::AcceleratorPlugin* const plugin, kernels::acceleratorPlugin());
    return plugin->makeGroupId();
}

Result<ChosenDevice> chooseDevice(const DeviceQuestion& question)
{
    return DeviceChoice(question).choose();
}

} // namespace cannery::train
