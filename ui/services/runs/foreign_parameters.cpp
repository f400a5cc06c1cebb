// SPDX-License-Identifier: GPL-3.0-only
#include "ui/services/runs/foreign_parameters.h"

#include "storage/tf/events/summary_values.h"
#include "ui/services/runs/event_file_list.h"

namespace cannery::ui {
namespace {

using Parameters = QList<std::pair<QString, QString>>;

Parameters parametersOf(const storage::Event& event)
{
    Parameters parameters;
    for (const storage::EventValue& value : event.values) {
        const auto stated = storage::hyperparametersOf(value);
        if (stated) {
            for (const auto& [name, text] : *stated) {
                parameters.append({QString::fromStdString(name), QString::fromStdString(text)});
            }
        }
    }
    return parameters;
}

/// From the file's position on, up to the limit.
Parameters searchFile(EventFileList& files, EventFileState& file)
{
    auto reader = storage::EventReader::open(files.pathOf(file), file.position);
    if (!reader) {
        files.exhaust(file, reader.error().message());
        return {};
    }
    while (file.position < files.bytesPerFile()) {
        const auto event = reader->next();
        file.position = reader->position();
        if (!event || !*event) {
            files.exhaust(file, event ? std::string() : event.error().message());
            return {};
        }
        if (const Parameters parameters = parametersOf(**event); !parameters.isEmpty()) {
            return parameters;
        }
    }
    return {};
}

} // namespace

ForeignParameters::ForeignParameters() = default;
ForeignParameters::ForeignParameters(ForeignParameters&&) noexcept = default;
ForeignParameters& ForeignParameters::operator=(ForeignParameters&&) noexcept = default;
ForeignParameters::~ForeignParameters() = default;

// They are logged at the beginning: files are searched no further than the limit.
Parameters ForeignParameters::of(const QString& folder)
{
    std::shared_ptr<Known>& known = m_known[folder];
    if (!known) {
        known = std::make_shared<Known>();
        known->files = std::make_unique<EventFileList>(folder.toStdString());
        known->files->setBytesPerFile(kBytes);
    }
    if (!known->files) {
        return known->parameters;
    }
    if (known->files->look() == EventFileList::Look::Replaced) {
        m_known.remove(folder);
        return {}; // read anew the next time
    }
    while (EventFileState* file = known->files->next()) {
        known->parameters = searchFile(*known->files, *file);
        if (!known->parameters.isEmpty()) {
            known->files.reset();
            break;
        }
    }
    return known->parameters;
}

} // namespace cannery::ui
