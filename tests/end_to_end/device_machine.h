// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <QByteArrayList>
#include <QString>

#include <initializer_list>
#include <utility>

namespace cannery::tests {

inline constexpr const char* kOnCpu = "strategy={ one_device {} }";
inline constexpr const char* kOnGpu = "strategy={ one_device { device: \"GPU:0\" } }";
inline constexpr const char* kGpu = "GPU:0 (Emulated device)";

// See tests/support/emulated_device/emulated_options.h.
inline constexpr const char* kMemory = "CANNERY_EMULATED_MEMORY";
inline constexpr const char* kGpus = "CANNERY_EMULATED_DEVICES";
inline constexpr const char* kLoseAt = "CANNERY_EMULATED_LOSE_AT_LAUNCH";
inline constexpr const char* kFailAllocation = "CANNERY_EMULATED_FAIL_ALLOCATION";

/// Sets variables of the emulated machine for the programs of a test.
class Machine
{
public:
    using Variables = std::initializer_list<std::pair<const char*, const char*>>;
    Machine(Variables variables)
    {
        for (const auto& [name, value] : variables) {
            qputenv(name, value);
            m_names << name;
        }
    }
    ~Machine()
    {
        for (const QByteArray& name : m_names) {
            qunsetenv(name.constData());
        }
    }
    Machine(const Machine&) = delete;
    Machine& operator=(const Machine&) = delete;

private:
    QByteArrayList m_names;
};

} // namespace cannery::tests
