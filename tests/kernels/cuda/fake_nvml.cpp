// SPDX-License-Identifier: Apache-2.0
#include <cstring>

// A management library that knows one GPU and one part of a GPU.

namespace {

struct Device
{
    const char* uuid;
    unsigned long long free;
    bool tellsUtilization;
};

Device devices[] = {{"GPU-00010203-0405-0607-0809-0a0b0c0d0eff", 30, true},
                    {"MIG-10010203-0405-0607-0809-0a0b0c0d0eff", 20, false}};
constexpr int kNotSupported = 3;
constexpr int kNotFound = 6;

} // namespace

extern "C" {

int nvmlInit_v2();
int nvmlShutdown();
int nvmlDeviceGetHandleByUUID(const char* uuid, Device** device);
int nvmlDeviceGetMemoryInfo(Device* device, unsigned long long* memory);
int nvmlDeviceGetUtilizationRates(Device* device, unsigned int* rates);

int nvmlInit_v2()
{
    return 0;
}

int nvmlShutdown()
{
    return 0;
}

int nvmlDeviceGetHandleByUUID(const char* uuid, Device** device)
{
    for (Device& each : devices) {
        if (std::strcmp(each.uuid, uuid) == 0) {
            *device = &each;
            return 0;
        }
    }
    return kNotFound;
}

int nvmlDeviceGetMemoryInfo(Device* device, unsigned long long* memory)
{
    memory[0] = 100;
    memory[1] = device->free;
    memory[2] = 100 - device->free;
    return 0;
}

int nvmlDeviceGetUtilizationRates(Device* device, unsigned int* rates)
{
    rates[0] = 75;
    rates[1] = 10;
    return device->tellsUtilization ? 0 : kNotSupported;
}
}
