// SPDX-License-Identifier: GPL-3.0-only
#pragma once

#include "ui/widgets/card.h"

#include <QJsonObject>
#include <QString>

class QLineEdit;

namespace cannery::ui {

class CheckpointChoice;
class Label;
class Segmented;

/// The options of an export: the checkpoint, the request format, the graphs, the folder.
class ExportForm : public Card
{
    Q_OBJECT

public:
    explicit ExportForm(QWidget* parent = nullptr);

    CheckpointChoice& from() { return *m_from; }
    const CheckpointChoice& from() const { return *m_from; }
    /// "parsing" or "raw", as on the command line.
    QString receiver() const;
    /// "serve", "eval" or "all", as on the command line.
    QString modes() const;
    /// The folder of the versions, as typed: usually relative to the project.
    QString folder() const;
    /// `folder()` with the name of the served model; `otherwise`: the name if none was given.
    QString target(const QString& otherwise) const;

    /// Where relative folders start, and the name to use if none is given.
    void setProject(const QString& folder, const QString& defaultName);
    void clearName();

    QJsonObject saveState() const;
    void restoreState(const QJsonObject& state);

Q_SIGNALS:
    void changed();

private:
    void addTitle(const QString& text);
    void addReceiver();
    void addModes();
    void addPlace();
    void explainReceiver();
    void explainModes();
    void chooseFolder();

    CheckpointChoice* m_from;
    Segmented* m_receiver;
    Label* m_receiverHelp;
    Segmented* m_modes;
    Label* m_modesHelp;
    QLineEdit* m_name;
    QLineEdit* m_folder;
    QString m_projectFolder;
};

} // namespace cannery::ui
