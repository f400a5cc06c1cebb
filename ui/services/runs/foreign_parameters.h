// SPDX-License-Identifier: GPL-3.0-only
#pragma once

#include <QHash>
#include <QList>
#include <QString>

#include <memory>
#include <utility>

namespace cannery::ui {

class EventFileList;

/// The hyperparameters of runs of other programs, as TensorBoard's plugin "hparams" states them at
/// the beginning of their event files. One thread.
class ForeignParameters
{
public:
    /// How much of each event file is searched.
    static constexpr quint64 kBytes = quint64{1} << 20U;

    ForeignParameters();
    ForeignParameters(ForeignParameters&&) noexcept;
    ForeignParameters& operator=(ForeignParameters&&) noexcept;
    ~ForeignParameters();

    /// Name and value of each; empty if there are none (yet). Reads only what is new.
    QList<std::pair<QString, QString>> of(const QString& folder);

private:
    struct Known
    {
        std::unique_ptr<EventFileList> files; ///< null once they were found
        QList<std::pair<QString, QString>> parameters;
    };

    QHash<QString, std::shared_ptr<Known>> m_known; ///< by folder
};

} // namespace cannery::ui
