//! What people say, language by language: each statement with its negation, and as a question or a supposition.

use super::said;

fn check(table: &[(&str, &str)]) {
    let mut wrong = Vec::new();
    for (text, expected) in table {
        let found = said(text);
        let wanted: Vec<&str> = expected.split_whitespace().collect();
        if found.len() != wanted.len() || !wanted.iter().all(|fact| found.iter().any(|other| other == fact)) {
            wrong.push(format!("{text}\n    found {found:?}, wanted {wanted:?}"));
        }
    }
    assert!(wrong.is_empty(), "\n{}", wrong.join("\n"));
}

#[test]
fn english() {
    check(&[
        ("It runs fine on the CPU.", "works_on_cpu"),
        ("The same error occurs on the CPU.", "fails_on_cpu"),
        ("If it works on the CPU, post the log.", ""),
        ("Does it work on the CPU?", ""),
        ("It should work on CPU.", ""),
        ("It works on one GPU, but crashes on two.", "works_on_one_gpu"),
        ("It even crashes on a single GPU.", "fails_on_one_gpu"),
        ("It still fails with batch size 1.", "run.batch_size=1 fails_smaller tried=reduce-batch"),
        ("I tried reducing the batch size to 2 and it worked", "works_smaller"),
        ("Have you tried reducing the batch size?", ""),
        ("Try reducing the batch size.", ""),
        ("I already rebooted the machine, no luck.", "tried=reboot"),
        ("Rebooting did not help.", "tried=reboot"),
        ("I reinstalled everything but the same error happens", "tried=clean-reinstall"),
        ("It fails with batch size 8 in float16", ""),
        (
            "I tried to reinstall pytorch, reboot and update the driver.",
            "tried=clean-reinstall tried=reboot tried=upgrade-driver",
        ),
        ("Same error on another GPU in the same machine.", "fails_elsewhere"),
        ("nvidia-smi works fine on the host.", "smi_works works_on_host"),
        ("nvidia-smi shows both GPUs", "smi_works"),
        ("nvidia-smi does not work either", "smi_fails"),
        ("Setting NCCL_P2P_DISABLE=1 did not help", "tried=nccl-p2p-off"),
        ("I use no docker, and no other process is using the GPU", "no_container no_other_process"),
        ("I installed it via conda.", "installed_by=conda"),
        ("The GPU is completely empty before I start", "memory_free"),
        ("There is plenty of RAM.", "ram_plenty"),
        ("The container has 64 GB of shared memory", "large_shm"),
        ("It waits for about an hour before the first step", "slow_start"),
        ("It has never worked on this machine", "began_at_once"),
        ("Since the last reboot it fails with this error", "began_with_reboot"),
        ("With num_workers=0 it works.", "works_single_process"),
    ]);
}

#[test]
fn chinese() {
    check(&[
        ("在 CPU 上运行正常", "works_on_cpu"),
        ("CPU 上也报错", "fails_on_cpu"),
        ("CPU 上能跑吗？", ""),
        ("单卡没问题，多卡就挂", "works_on_one_gpu"),
        ("单卡也报错", "fails_on_one_gpu"),
        ("batch size 设为 1 还是报错", "run.batch_size=1 fails_smaller tried=reduce-batch"),
        ("重启也没用", "tried=reboot"),
        ("重启了，没用", "tried=reboot"),
        ("重启之后就好了", "needs_reboot"),
        ("重装了环境还是不行", "tried=clean-reinstall"),
        ("更新驱动也无效", "tried=upgrade-driver"),
        ("建议你降低 batch size", ""),
        ("换了一张显卡还是一样", "fails_elsewhere"),
        ("nvidia-smi 正常", "smi_works"),
        ("显存还剩很多", "memory_free"),
        ("尝试过降级 torch", "tried=other-version"),
        ("从来没有成功过", "began_at_once"),
        ("没有其他进程在用", "no_other_process"),
    ]);
}

#[test]
fn german() {
    check(&[
        ("Der Fehler kommt immer auf derselben von acht Karten.", "one_card_only"),
        ("Nur auf einer der GPUs stürzt es ab.", "one_card_only"),
        ("Ich habe nur eine Karte.", ""),
        ("Auf der CPU läuft es problemlos.", "works_on_cpu"),
        ("Auf der CPU funktioniert es auch nicht.", "fails_on_cpu"),
        ("Läuft es auf der CPU?", ""),
        ("Wenn es auf der CPU läuft, liegt es am Treiber.", ""),
        ("Es sollte auf der CPU funktionieren.", ""),
        ("Mit einer GPU geht es, mit zwei nicht.", "works_on_one_gpu"),
        ("Auch mit Batch Size 1 kommt der Fehler.", "run.batch_size=1 fails_smaller tried=reduce-batch"),
        ("Mit batch_size=2 läuft es.", "works_smaller"),
        ("Ein Neustart hat nicht geholfen.", "tried=reboot"),
        ("Nach einem Neustart läuft es wieder.", "needs_reboot"),
        ("Erst ein Neustart hilft.", "needs_reboot"),
        (
            "Ich habe schon neu installiert und den Treiber aktualisiert, ohne Erfolg.",
            "tried=clean-reinstall tried=upgrade-driver",
        ),
        ("Seit dem Update von PyTorch stürzt das Training ab.", "began_with_update"),
        ("Das Update hat nichts gebracht.", ""),
        ("Auf einem anderen Rechner läuft das Skript.", "works_elsewhere"),
        ("Auf einer anderen GPU tritt der gleiche Fehler auf.", "fails_elsewhere"),
        ("nvidia-smi funktioniert auf dem Host.", "smi_works works_on_host"),
        ("Der Fehler kommt zufällig.", "intermittent"),
        ("Es bricht immer beim selben Bild ab.", "same_input"),
        ("Nach etwa drei Stunden stürzt das Training ab.", "after_hours"),
        ("Es laufen keine anderen Prozesse.", "no_other_process"),
    ]);
}

#[test]
fn french() {
    check(&[
        ("Sur le CPU ça fonctionne.", "works_on_cpu"),
        ("Sur le CPU ça ne fonctionne pas non plus.", "fails_on_cpu"),
        ("Est-ce que ça fonctionne sur le CPU ?", ""),
        ("Si ça marche sur le CPU, le pilote est en cause.", ""),
        ("Avec un seul GPU ça marche, avec deux ça plante.", "works_on_one_gpu"),
        ("Même avec batch size 1 j'ai toujours la même erreur.", "run.batch_size=1 fails_smaller tried=reduce-batch"),
        ("J'ai redémarré, sans succès.", "tried=reboot"),
        ("Redémarrer n'a rien changé.", "tried=reboot"),
        ("J'ai essayé de réinstaller PyTorch.", "tried=clean-reinstall"),
        ("Essayez de réinstaller PyTorch.", ""),
        ("J'ai mis à jour le pilote mais c'est la même erreur.", "tried=upgrade-driver"),
        ("Depuis la mise à jour de CUDA, le script plante.", "began_with_update"),
        ("Sur une autre machine ça tourne.", "works_elsewhere"),
        ("Sur un autre GPU, même erreur.", "fails_elsewhere"),
        ("nvidia-smi fonctionne sur la machine hôte.", "smi_works works_on_host"),
        ("L'erreur arrive de temps en temps.", "intermittent"),
        ("Après quelques heures l'entraînement plante.", "after_hours"),
        ("Aucun autre processus ne tourne.", "no_other_process"),
    ]);
}

#[test]
fn spanish() {
    check(&[
        ("En la CPU funciona bien.", "works_on_cpu"),
        ("En la CPU tampoco funciona.", "fails_on_cpu"),
        ("¿Funciona en la CPU?", ""),
        ("Si funciona en la CPU, es el driver.", ""),
        ("Debería funcionar en la CPU.", ""),
        ("Con una sola GPU funciona, con dos no.", "works_on_one_gpu"),
        ("Incluso con batch size 1 sigue fallando.", "run.batch_size=1 fails_smaller tried=reduce-batch"),
        ("Reinicié el equipo y sigue igual.", "tried=reboot"),
        ("Reiniciar no ayuda.", "tried=reboot"),
        ("Probé a reinstalar todo, sin éxito.", "tried=clean-reinstall"),
        ("Ya actualicé los drivers y da el mismo error.", "tried=upgrade-driver"),
        ("Desde la actualización de PyTorch falla siempre.", "began_with_update"),
        ("En otra máquina funciona.", "works_elsewhere"),
        ("En otra GPU sale el mismo error.", "fails_elsewhere"),
        ("nvidia-smi funciona en el host.", "smi_works works_on_host"),
        ("Falla a veces.", "intermittent"),
        ("Después de varias horas se cuelga.", "after_hours"),
        ("No hay otros procesos.", "no_other_process"),
    ]);
}

#[test]
fn portuguese() {
    check(&[
        ("Na CPU funciona normalmente.", "works_on_cpu"),
        ("Na CPU também não funciona.", "fails_on_cpu"),
        ("Funciona na CPU?", ""),
        ("Se funciona na CPU, o driver é o culpado.", ""),
        ("Deveria funcionar na CPU.", ""),
        ("Com uma GPU funciona, mas com duas trava.", "works_on_one_gpu"),
        ("Mesmo com batch size 1 dá erro.", "run.batch_size=1 fails_smaller tried=reduce-batch"),
        ("Reiniciei o computador e continua igual.", "tried=reboot"),
        ("Reiniciar não adianta.", "tried=reboot"),
        ("Tentei reinstalar tudo, sem sucesso.", "tried=clean-reinstall"),
        ("Já atualizei os drivers e não resolveu.", "tried=upgrade-driver"),
        ("Desde a atualização do PyTorch o treino falha.", "began_with_update"),
        ("Em outra máquina funciona.", "works_elsewhere"),
        ("Em outra GPU ocorre o mesmo erro.", "fails_elsewhere"),
        ("nvidia-smi funciona no host.", "smi_works works_on_host"),
        ("O erro aparece de vez em quando.", "intermittent"),
        ("Depois de várias horas o treino trava.", "after_hours"),
        ("Nenhum outro processo usa a GPU.", "no_other_process"),
    ]);
}

#[test]
fn japanese() {
    check(&[
        ("CPUでは動きます。", "works_on_cpu"),
        ("CPUなら問題なく動作します", "works_on_cpu"),
        ("CPUでも同じエラーが出ます。", "fails_on_cpu"),
        ("CPUでは動きますか？", ""),
        ("CPUで動くはずです。", ""),
        ("GPU1枚では動きますが、2枚だと落ちます。", "works_on_one_gpu"),
        ("batch_size=1 でもエラーになります", "run.batch_size=1 fails_smaller tried=reduce-batch"),
        ("バッチサイズを下げても変わりません", "tried=reduce-batch"),
        ("再起動しても直りません。", "tried=reboot"),
        ("再起動すると直ります", "needs_reboot"),
        ("再インストールも試しましたがだめでした", "tried=clean-reinstall"),
        ("ドライバを更新してみましたが改善しませんでした", "tried=upgrade-driver"),
        ("ドライバを更新してからエラーが出るようになりました", "began_with_update"),
        ("別のマシンでは正常に動作します", "works_elsewhere"),
        ("別のGPUでも同じ結果でした", "fails_elsewhere"),
        ("nvidia-smiは正常に表示されます", "smi_works"),
        ("時々エラーになります", "intermittent"),
        ("数時間後に落ちます", "after_hours"),
        ("毎回同じ画像で落ちます", "same_input"),
    ]);
}

#[test]
fn korean() {
    check(&[
        ("CPU에서는 정상 동작합니다.", "works_on_cpu"),
        ("CPU에서도 같은 에러가 발생합니다.", "fails_on_cpu"),
        ("CPU에서는 동작하나요?", ""),
        ("CPU에서 동작하면 드라이버 문제입니다.", ""),
        ("GPU 한 장에서는 잘 돌아갑니다.", "works_on_one_gpu"),
        ("batch size를 1로 줄여도 에러가 납니다.", "run.batch_size=1 fails_smaller tried=reduce-batch"),
        ("배치 크기를 줄여도 소용없습니다.", "tried=reduce-batch"),
        ("재부팅해도 똑같습니다.", "tried=reboot"),
        ("재부팅하면 다시 정상으로 돌아옵니다.", "needs_reboot"),
        ("재설치도 시도해 봤지만 해결되지 않았습니다.", "tried=clean-reinstall"),
        ("드라이버를 업데이트해도 여전히 안 됩니다.", "tried=upgrade-driver"),
        ("드라이버를 업데이트한 후 에러가 발생합니다.", "began_with_update"),
        ("다른 서버에서는 문제없이 동작합니다.", "works_elsewhere"),
        ("다른 GPU에서도 마찬가지입니다.", "fails_elsewhere"),
        ("nvidia-smi는 정상입니다.", "smi_works"),
        ("가끔 에러가 납니다.", "intermittent"),
        ("3시간 정도 후에 죽습니다.", "after_hours"),
        ("항상 같은 이미지에서 멈춥니다.", "same_input"),
    ]);
}

#[test]
fn russian() {
    check(&[
        ("На CPU все работает.", "works_on_cpu"),
        ("На CPU тоже не работает.", "fails_on_cpu"),
        ("Работает ли на CPU?", ""),
        ("Если на CPU работает, дело в драйвере.", ""),
        ("На CPU должно работать.", ""),
        ("На одной видеокарте работает, а на двух падает.", "works_on_one_gpu"),
        ("Даже с batch size 1 та же ошибка.", "run.batch_size=1 fails_smaller tried=reduce-batch"),
        ("Перезагрузка не помогла.", "tried=reboot"),
        ("Помогает только перезагрузка.", "needs_reboot"),
        ("Пробовал переустановить драйвер, безуспешно.", "tried=upgrade-driver tried=clean-reinstall"),
        ("Уже обновил драйвер, но ошибка та же.", "tried=upgrade-driver"),
        ("Обновил драйвер, все равно падает.", "tried=upgrade-driver"),
        ("После обновления драйвера появляется ошибка.", "began_with_update"),
        ("На другом сервере работает нормально.", "works_elsewhere"),
        ("На другой видеокарте та же ошибка.", "fails_elsewhere"),
        ("nvidia-smi работает.", "smi_works"),
        ("Иногда падает.", "intermittent"),
        ("Через несколько часов обучение падает.", "after_hours"),
    ]);
}

#[test]
fn what_the_writer_cannot_do() {
    check(&[
        ("I have no sudo rights on this cluster.", "no_root"),
        ("It is a shared box and I don't have root access", "no_root"),
        ("I'm not an admin there.", "no_root"),
        ("I can run docker without sudo", ""),
        ("no sudo needed", ""),
        ("I would rather not reboot.", "no_reboot"),
        ("The server cannot be rebooted, other jobs run on it.", "no_reboot other_process"),
        ("I can't restart the machine at the moment", "no_reboot"),
        ("I can't restart the kernel", ""),
        ("Can't you just reboot?", ""),
        ("It works again without a reboot", ""),
        ("We are not allowed to upgrade the driver", "no_driver_update"),
        ("The driver cannot be changed on this cluster.", "no_driver_update"),
        ("最好不要重启机器", "no_reboot"),
        ("服务器上我没有root权限", "no_root"),
        ("我不能升级驱动", "no_driver_update"),
        ("root権限がありません", "no_root"),
        ("サーバーは再起動できません", "no_reboot"),
        ("저는 root 권한이 없습니다", "no_root"),
        ("Ich habe keine Root-Rechte.", "no_root"),
        ("Ich kann den Server nicht neu starten", "no_reboot"),
        ("Je n'ai pas les droits root.", "no_root"),
        ("No tengo permisos de root", "no_root"),
        ("Não posso reiniciar o servidor", "no_reboot"),
        ("У меня нет прав root", "no_root"),
    ]);
}
