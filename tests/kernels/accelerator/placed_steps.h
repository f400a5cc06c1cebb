// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "kernels/accelerator/program.h"
#include "tests/kernels/accelerator/device_case.h"

#include <functional>
#include <vector>

namespace cannery::tests {

/// Runs `count` steps of a program on the device of a case, from step `first` on; `place` adds the
/// operations of one. What went wrong, or nothing.
inline QByteArray runSteps(DeviceCase& device,
                           const std::function<void(kernels::AcceleratorProgram&)>& place,
                           std::int64_t first = 0, std::int64_t count = 1)
{
    kernels::AcceleratorProgram program;
    place(program);
    const std::int64_t blockBytes = program.stepBytes();
    std::vector<std::byte> blocks(static_cast<std::size_t>(blockBytes * count));
    for (std::int64_t step = 0; step < count; ++step) {
        program.writeStep(first + step, blocks.data() + step * blockBytes);
    }
    auto* const cursor = device.room<std::int64_t>(1);
    std::byte* const scratch = device.room<std::byte>(program.scratchBytes());
    program.begin(scratch, device.put(blocks), blockBytes, cursor);
    place(program);
    std::vector<kernels::Operation> operations;
    for (std::int64_t step = 0; step < count; ++step) {
        operations.insert(operations.end(), program.operations().begin(),
                          program.operations().end());
        operations.emplace_back(kernels::AdvanceStep{.cursor = cursor, .count = count});
    }
    return device.run(operations);
}

} // namespace cannery::tests

/// Runs steps on the device of a case, which must not fail.
#define RUN_STEPS(...)                                                                             \
    do {                                                                                           \
        const QByteArray runStepsMessage = cannery::tests::runSteps(__VA_ARGS__);                  \
        QVERIFY2(runStepsMessage.isEmpty(), runStepsMessage.constData());                          \
    } while (false)
