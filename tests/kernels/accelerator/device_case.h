// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "tests/kernels/kernel_compare.h"
#include "tests/support/recording_runtime/test_device.h"

#include <memory>
#include <span>
#include <vector>

namespace cannery::tests {

/// Memory of the device of this test and operations on it, for one comparison.
class DeviceCase
{
public:
    /// A copy on the device, with the same strides; nothing for an empty matrix.
    kernels::MatrixView put(const Matrix& matrix)
    {
        float* const data = put(std::span<const float>(matrix.values));
        return {data, matrix.rows, matrix.cols, matrix.stride};
    }
    template <typename T>
    T* put(std::span<const T> values)
    {
        const auto bytes = static_cast<std::int64_t>(values.size_bytes());
        T* const data = room<T>(static_cast<std::int64_t>(values.size()));
        m_device->upload(kernels::Queue::Compute, reinterpret_cast<std::byte*>(data), values.data(),
                         bytes);
        return data;
    }
    template <typename T>
    T* put(const std::vector<T>& values)
    {
        return put(std::span<const T>(values));
    }
    /// Of zeros.
    template <typename T>
    T* room(std::int64_t count)
    {
        m_memory.push_back(*m_device->allocate(count * std::int64_t{sizeof(T)}));
        return reinterpret_cast<T*>(m_memory.back()->data());
    }
    template <typename T>
    kernels::StepData step(const T& value)
    {
        return {.blocks = reinterpret_cast<const std::byte*>(put(std::span<const T>(&value, 1))),
                .blockBytes = sizeof(T),
                .cursor = room<std::int64_t>(1),
                .offset = 0};
    }

    /// What went wrong, or nothing.
    QByteArray run(const std::vector<kernels::Operation>& operations)
    {
        auto graph = m_device->prepare(operations);
        if (!graph) {
            return QByteArray::fromStdString(graph.error().message());
        }
        m_device->launch(**graph);
        const auto done = m_device->synchronize();
        return done ? m_device.mistake() : QByteArray::fromStdString(done.error().message());
    }

    template <typename T>
    std::vector<T> take(const T* data, std::int64_t count)
    {
        std::vector<T> values(static_cast<std::size_t>(count));
        m_device->download(kernels::Queue::Compute, values.data(),
                           reinterpret_cast<const std::byte*>(data),
                           count * std::int64_t{sizeof(T)});
        return values;
    }
    /// All of a matrix, with what is between its rows.
    std::vector<float> take(kernels::ConstMatrixView view)
    {
        return take(view.data, view.rows * view.stride);
    }

private:
    TestDevice m_device;
    std::vector<std::unique_ptr<kernels::AcceleratorMemory>> m_memory;
};

} // namespace cannery::tests

/// Runs operations on the device of a case, which must not fail.
#define RUN_ON(device, ...)                                                                        \
    do {                                                                                           \
        const QByteArray runOnMessage = (device).run(__VA_ARGS__);                                 \
        QVERIFY2(runOnMessage.isEmpty(), runOnMessage.constData());                                \
    } while (false)
