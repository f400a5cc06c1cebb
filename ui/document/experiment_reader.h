// SPDX-License-Identifier: GPL-3.0-only
#pragma once

#include "ui/document/experiment_reading.h"

#include <QObject>
#include <QThreadPool>

namespace cannery::ui {

class ExperimentText;

/// Parses the newest text in the background. GUI thread.
class ExperimentReader : public QObject
{
    Q_OBJECT

public:
    explicit ExperimentReader(const ExperimentText& text);
    ~ExperimentReader() override;

    /// Nothing has been read; `loads`: something soon will be.
    void reset(bool loads);
    /// `file` is only named in the problems.
    void read(const QString& file);

    const ExperimentReading& reading() const { return *m_reading; }
    /// True from reset() until the first text has been read.
    bool isLoading() const { return m_isLoading; }
    /// Whether the newest text has been read.
    bool isCurrent() const;

Q_SIGNALS:
    void finished();

private:
    const ExperimentText& m_text;
    ExperimentReadingPtr m_reading = std::make_shared<ExperimentReading>();
    bool m_isLoading = false;
    QThreadPool m_parser;
};

} // namespace cannery::ui
