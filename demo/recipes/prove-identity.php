<?php
function prove_identity($secret, $contact, $account = "", $expiresIn = 3600) {
    $issued = time();
    $message = "";
    foreach ([$contact, $account, (string) $issued, (string) ($issued + $expiresIn)] as $member) {
        $message .= strlen($member) . ":" . $member;
    }
    return "1.$issued." . ($issued + $expiresIn) . "." . hash_hmac("sha256", $message, $secret);
}
