/**
 * URLs by family, written after the standards and products that each family names, before the rule of redaction was looked
 * at. Every other entry is for tuning the rule; the rest is held out, and tells how well it does. An entry is a query, or a
 * path that begins with `/` or `#`. What must not leave the page stands between `<` and `>`. All values are made up.
 */
import type { SecretUrl } from "./secret-urls.js";

const SECRET = `
## WS-Federation: OASIS WS-Federation 1.2 §13
wa=wsignin1.0&wresult=<%3Ct%3ARequestSecurityTokenResponse%3E>
wresult=<PHQ6UmVxdWVzdFNlY3VyaXR5VG9rZW5SZXNwb25zZT4>&wctx=home
wa=wsignin1.0&wctx=<WsFedOwinState%3DAQAAANCMnd8BFdERjHoAwE>
wauth=x&wreq=<%3Ctrust%3ARequestSecurityToken%3E%3C%2Ftrust> wresultptr=<https%3A%2F%2Fidp.test%2Fr%2F8a7f3c0b1d>

## SAML: OASIS saml-bindings-2.0 §3.4, §3.6
SAMLResponse=<fVLBbtswDP0VQ3dbsuM0jhAnyFoMK9CtRtLusJsi0Z0wW9JEuevnz3FWtAOG>
SAMLRequest=<fVLJTsMwEP2VyHdnT2msJlUBIYpYIhI4cDPOpFhKPMHjFPh7QgrigMR1>
SAMLart=<AAQAADWNEw5VT47wcO4zX%2FiEzMmFQvGknDfws2ZtqSGdkNSbsW1cmVR0bzU>
SAMLEncoding=urn&Signature=<NMTjLL5BHgqrU7ZQT0qW>&SigAlg=rsa RelayState=<ss:mem:4a8b1f0c6d2e>
SigAlg=rsa-sha1&Signature=<f%2BhIcHiLgzCKbMqKf5g%3D>

## OAuth 2: RFC 6749, RFC 7521, RFC 7523, RFC 7636, RFC 8628, RFC 8693, RFC 9126
access_token=<2YotnFZFEjr1zCsicMWpAA>&expires_in=3600 refresh_token=<tGzv3JOkF0XG5Qx2TlKWIA>
code=<SplxlOBeZQQYbYS6WxSbIA>&state=xyz client_secret=<7Fjfp0ZBr1KtDRbnfVdmIw> client_assertion=<PHNhbWxwOl>
assertion=<eyJhbGciOiJFUzI1NiIsImtpZCI6IjE2In0> code_verifier=<dBjftJeZ4CVP-mB92K27uhbUJU1p1r_wW1gFWFOEjXk>
device_code=<GmRhmhcxhwAzkoEqiMEg_DnyEysNkuNhszIySk9eS> user_code=<WDJB-MJHT>
subject_token=<accVkjcJyb4BWCxGsndESCJQbdFMogUC5PbRDqceLTC> actor_token=<opaque17q>
request_uri=<urn:ietf:params:oauth:request_uri:6esc_11ACC5bwc014ltc14eY22c> username=johndoe&password=<A3ddj3w>

## OpenID: OpenID Connect Core, CIBA, OpenID4VP, OpenID4VCI, JARM, OpenID 2.0
id_token=<eyJ0eXAiOiJKV1QiLCJhbGciOiJSUzI1NiJ9.eyJpc3MiOiJodHRwO.ggW8h>
id_token_hint=<eyJraWQiOiIxZTlnZGs3IiwiYWxnIjoiUlMyNTYifQ.ewogImlz.ggW8>
logout_token=<eyJhbGciOiJSUzI1NiJ9.eyJpc3MiOiJ.c2ln> auth_req_id=<1c266114-a1be-4252-8ad1-04986c5b9ac1>
login_hint_token=<eyJraWQiOiJsdGFjZXNidyIsImFsZyI6IkVTMjU2In0.eyJzdWJfaWQ.MEUCI> vp_token=<eyJhbGciOiJFUzI1NiJ9>
pre-authorized_code=<oaKazRN8I0IbtZ0C7JuMn5> tx_code=<493536>
response=<eyJhbGciOiJSUzI1NiIsImtpZCI6IjEifQ.eyJpc3MiOiJodHRwcyJ9.HkdJ> openid.sig=<Q4pVDrsUKDmdbmGwNUTqxYcfvhw>
openid.assoc_handle=<%7BHMAC-SHA1%7D%7B4a5b6c7d%7D%7BZm9v> openid.response_nonce=<2005-05-15T17:11:51ZUNIQUE9d>
registration_access_token=<this.is.an.access.token.value.ffx83>

## OAuth 1: RFC 5849 §2, §3
oauth_token=<hdk48Djdsa>&oauth_verifier=x oauth_verifier=<473f82d3kkw9>
oauth_signature=<tR3%2BTy81lMeYAr%2FFid0kMTYa%2FWM%3D>&oauth_version=1.0 oauth_token_secret=<xyz4992k83j47x0b>
oauth_nonce=<7d8f3e4a0c1b>

## AWS: docs.aws.amazon.com: S3 query string authentication, CloudFront signed URLs, IAM, Cognito
X-Amz-Algorithm=AWS4-HMAC-SHA256&X-Amz-Signature=<aeeed9bbccd4d02ee5c0109b86d86835f995330da4c265957d157751f604d404>
X-Amz-Security-Token=<FwoGZXIvYXdzEJr%2F%2F%2F%2F%2F>&X-Amz-Expires=900
X-Amz-Credential=<AKIAIOSFODNN7EXAMPLE%2F20130524%2Fus-east-1%2Fs3%2Faws4_request>
AWSAccessKeyId=<AKIAIOSFODNN7EXAMPLE>&Expires=1141889120
Expires=1141889120&Signature=<vjbyPxybdZaNmGa%2ByT272YEAiv4%3D>
Policy=<eyJTdGF0ZW1lbnQiOlt7IlJlc291cmNlIjoiaHR0cDovL2QxMTExMTFhYmNkZWY4>&Key-Pair-Id=K2JCJMDEHXQW5F
CloudFront-Policy=<eyJTdGF0ZW1lbnQiOlt7IlJlc291cmNlIjoi> CloudFront-Signature=<dtKhpJ3aUYxqDIwepczPiDb9NXQ_>
SecretAccessKey=<wJalrXUtnFEMI%2FK7MDENG%2FbPxRfiCYEXAMPLEKEY> SessionToken=<AQoDYXdzEJr1K>&region=eu-west-1
SigninToken=<VCQgs5qZZt3Q6fn8Tr5E>&Action=login policy=<eyAiZXhwaXJhdGlvbiI6ICIyMDE1LTEyLTMwVDEyOjAwOjAwLjAwMFoiLA>

## Google Cloud: cloud.google.com: signed URLs V4 and V2, Cloud CDN, Media CDN, API keys
X-Goog-Signature=<247a2aa45f169edf4d187d54e7cc46e4731b1e6273242c4f4c39a1d2507a0e58706e25e3a85a7dbb891d62>
X-Goog-Credential=<example%40example-project.iam.gserviceaccount.com%2F20181026%2Fauto%2Fstorage%2Fgoog4_request>
X-Goog-Security-Token=<ya29.c.b0Aaekm1K>
GoogleAccessId=<example@example-project.iam.gserviceaccount.com>&Expires=1458238630
Expires=1458238630&Signature=<VVUgfqviDCov%2B%2BKnmVOkwBR2olSbId51kSibuQeiH8ucGFyOfAVbH5J>
URLPrefix=aHR0cHM6Ly9tZWRp&KeyName=my-key&Signature=<YTVl9vqTGwoiChKNjkVVzg>
Edge-Cache-Token=<URLPrefix~Expires%3D1640~KeyName%3Dkey~Signature%3DNXzuhRXVVsIGPj>
hdnts=<exp%3D1640000000~hmac%3D77f2c1a06d> key=<AIzaSyDaGmWKa4JsXZ-HjGw7ISLn_3namBGewQe>&callback=initMap
upload_id=<ADPycds0kXhX2Lv9nBqT4w>&uploadType=resumable

## Azure: learn.microsoft.com: SAS, Functions keys, API Management, Event Grid, SignalR
sv=2022-11-02&sr=b&sig=<Z%2FRHIX5Xcg0Mq2rqI3OlWTjEg2tYkboXR1P9ZUXDtkk%3D>&se=2030-01-01
sr=hub&sig=<nJf1yq9hTqxP4bZ7%2BfA>&skn=RootManageSharedAccessKey api/hello?code=<aHk3-P2xQ9vLm_7TzRb0cN4>&name=Ann
subscription-key=<2f9d1c84ab7e4036> Ocp-Apim-Subscription-Key=<2f9d1c84ab7e4036>
aeg-sas-key=<VXbGWce53249Mt8wuotr0GPmyJ> SharedAccessSignature=<sr%3Dmyhub%26sig%3DnJf1yq9hTqx>
access_token=<eyJhbGciOiJIUzI1NiIs>&hub=chat AccountKey=<Eby8vdM02xNOcqFlqUwJPLlmEtlCDXJ1OUzFT50uSRZ6IFsuFq2UVErCz4>
code=<0.AXoAy3f9Kc1d2-E4fGhIjKl>&session_state=<7b29111d-c220-4d59-a51c-dba8e2f41b3c>
client_info=<eyJ1aWQiOiI3YjI5MTExZCJ9>&state=x

## Akamai, Cloudflare, Fastly, Cloudinary, imgix: their pages on token authentication and signed URLs
hdnea=<st%3D1700~exp%3D1800~acl%3D%2F*~hmac%3D1f3a5c7e> __token__=<exp%3D1800~hmac%3D1f3a5c7e9b>
verify=<1484063787-9JQB8vP1z0yc5DEBnH6JGWM3mBmvIeMrnnxFi3WtJLE%3D> /image/upload/s--<bmRyZXN3>--/sample.jpg
ixlib=js&s=<36dca1f8a04d3ed0b8f41f2e95b3c7d6> md5=<q1w2e3r4t5y6u7i8>&expires=1700000000

## Rails: guides.rubyonrails.org, Devise
authenticity_token=<J7CBxfHalt49OSHp27hblqK20c9PgwJ108nDHX> user[password_confirmation]=<hunter2>
reset_password_token=<zx8K_qPm-2vN> unlock_token=<F3x9-kQ2b_7Lm> /users/unlock/<aB3dE5fG7hJ9kL1m>
/rails/active_storage/blobs/redirect/<eyJfcmFpbHMiOnsibWVzc2FnZSI6IkJBaHBBdz09In19--f7d1>/x.png

## Django: docs.djangoproject.com: CSRF, sessions, password reset; django-allauth
csrfmiddlewaretoken=<hG5sK9q> csrftoken=<Qk2Lm8z1xC7v> sessionid=<7d1f0b6c2a9e4835>
/accounts/reset/MTI/<b5xk2p-3a8f1c6d9e0b7245>/ /accounts/confirm-email/<OA:1sB2cD:3eF4gH5iJ6>/
/accounts/password/reset/key/<3-c4d5e6f7a8b9c0d1>/

## Laravel, Symfony: laravel.com/docs, symfony.com/doc
_token=<vR7bK2pX9> laravel_session=<eyJpdiI6Ik5lS1BCTW9> form[_token]=<d6f7e8a9b0> _csrf_token=<c3b2a1f0>
/verify/email?expires=1700&signature=<9c2e4f6a8b0d>&token=<Zx81vQ> _hash=<sQ4mJ7r2Vk0b9W>&expires=1700000000

## Spring, Java servlets, JSF, Play: docs.spring.io, Servlet 6 §7.1.3, jakarta.faces, playframework.com
_csrf=<4bfd1575-3ad1-4d21-96c7-4ef2d9f86721> /shop/cart;jsessionid=<1A530637289A03B07199A44E8D531427>
/shop/cart;JSESSIONID=<node01x3f9k2m8q>.node0?item=4 javax.faces.ViewState=<-3851262937162548:90128374aB>
csrfToken=<a1b2c3-1700-d4e5f6> /login;jsessionid=<abcDEF0123456789.worker1>

## ASP.NET: learn.microsoft.com: cookieless sessions, antiforgery, Identity
/(S(<lit3py55t21z5v55vlm25s55>))/orders/list /(A(<aGq8Lx9f2b>)S(<w1x2y3z4a5b6c7d8>))/default.aspx
__RequestVerificationToken=<CfDJ8Nrae7> ASP.NET_SessionId=<q3w1e5r4t5y2> __VIEWSTATE=<%2FwEPDwUKMTY1NDU2MTA1MmRk>
/Identity/Account/ConfirmEmail?userId=5&code=<Q2ZESjhKc2R3OHFo> .AspNetCore.Identity.Application=<CfDJ8Kx2pQ>

## Express, Next, Nuxt: expressjs.com: session, csurf; next-auth.js.org
_csrf=<K8zXq2Lm-9vB0> connect.sid=<s%3Aj7k2L9m4N1p0.Qx8> next-auth.session-token=<eyJhbGciOiJkaXIi>
next-auth.csrf-token=<9f8e7d6c%7C5b4a> xsrf=<8f7a2b9c1d>

## Flask, FastAPI, Phoenix: flask-wtf, fastapi.tiangolo.com, hexdocs.pm/phoenix
csrf_token=<IjY5ZDQ2.Zk1x> session=<.eJwrSi0uyc8tAgAQ2gLz> _csrf_token=<E3cYAx0_OzAmHA> _app_key=<SFMyNTY.g3QAAAAB>
/users/log_in/<Zs3xV9q-7kL2m_bN8p> /users/confirm/<Zs3xV9q-7kL2m_bN8p>

## PHP, WordPress, Drupal, CodeIgniter, CakePHP, Magento, phpBB: php.net/session, developer.wordpress.org, api.drupal.org, their guides
PHPSESSID=<r2t5uvjq435r4q7ib3vtdjq120> _wpnonce=<a1b2c3d4e5> wp-login.php?action=rp&key=<nX9kQ2mZ7vB4cL1s>&login=ann
form_token=<xY1z> form_build_id=<form-3Qx9Zk2mV7bN> /user/reset/12/1700000000/<q8Zk3-xL0mN_v2b>/login
csrf_test_name=<5e6f7a8b9c0d> ci_session=<f0e1d2c3b4a59687> _csrfToken=<b7c8d9> form_key=<Zk3x9QmV7bN2>
/customer/account/createPassword/?id=5&token=<aB12> sid=<4f5e6d7c8b9a0123> wordpress_logged_in=<ann%7C1700%7Cq8Zk3>
CFID=1234&CFTOKEN=<98765432> wpEditToken=<7a6b5c%2B%5C> p_auth=<Kq2Xz9mV>

## one-time codes: WHATWG autocomplete one-time-code, RFC 4226, RFC 6238, Twilio Verify, Auth0 MFA, Firebase
otp=<493021> one-time-code=<493021> one_time_password=<493021> totp=<755224> hotp=<287082> mfa_code=<123456>
2fa_code=<123456> verification_code=<839201> verificationCode=<839201> sms_code=<4821> smsCode=<482193>
passcode=<739184> auth_code=<661204> security_code=<735221> backup_code=<12345-67890> recovery_code=<N7Q2PXK4>
oobCode=<ABC123xyz> otc=<904412> binding_code=<000000> authenticator_code=<612408> confirmation_code=<728193>
login_code=<5820> one_time_token=<x7>

## magic links and invitations: Auth0, Stytch, Magic, Clerk, Slack, Discourse, Ghost
/magic/<q7Zk3xL0mNv2b> __clerk_ticket=<eyJhbGciOiJSUzI1NiIs>
stytch_token_type=magic_links&token=<DOYoip3rvIMMW5lgItikFK> magic_credential=<WyIweDMxZjA3> /invites/<Kq3xZ9mV7b>
/join/<f8Q2xLm4Zk> /session/email-login/<0f1e2d3c4b5a69788796a5b4> /signup/confirm/<9f8e7d6c5b4a>
/password-reset/<550e8400-e29b-41d4-a716-446655440000> /reset_password/<5mZk2xQ8vL>
/unsubscribe/?uuid=<550e8400-e29b-41d4-a716-446655440000>&key=<0f9e8d7c6b5a> /recover/<x3Kq9ZmV7bN2>

## webhooks and bots in paths: api.slack.com, discord.com/developers, core.telegram.org/bots/api, Teams, Zapier, IFTTT, Mattermost, Google Chat, n8n
/services/T00000000/B00000000/<XXXXXXXXXXXXXXXXXXXXXXX4> /services/T024BE7LH/B04KQ2X9Z/<x7Kq2mZ9vL3bN8pR1tY5wQ0c>
/api/webhooks/1234567890123456/<68_aZq3-xL9mV2bN8pR1tY5wQ0cKd7fGhJ4s>
/api/v10/webhooks/112233445566778899/<aZq3xL9mV2bN8pR1tY5w>/slack
/bot<123456:ABC-DEF1234ghIkl-zyx57W2v1u123ew11>/getMe
/file/bot<110201543:AAHdqTcvCH1vGWJxfSeofSAs0K5PALDsaw>/photo.jpg
/webhookb2/<a1b2c3d4-e5f6@72f988bf/IncomingWebhook/0f1e2d3c4b5a/9f8e7d> /hooks/catch/123456/<o9x2kq>/
/hooks/catch/7812345/<bq3x7zk>/ /trigger/door_opened/with/key/<dK3x9ZmQ7vL2bN8pR1tY>
/hooks/<xr3yjzkq4tbc8f5m7u9wd1o6ne> /v1/spaces/AAA/messages?key=<AIzaSyDdI0hCZtE6vySjMm>&token=<z3Kq%3D>
/webhook/<1c3e5a7b-9d8f-4b2a-8c6e-0f1d2b3a4c5e> /webhook-test/<1c3e5a7b-9d8f-4b2a-8c6e-0f1d2b3a4c5e>

## tokens known by their beginning: GitHub, GitLab, Slack, Stripe, SendGrid, npm, Google, OpenAI, Shopify: their pages on token formats
q=<ghp_16C7e42F292c6912E7710c838347Ae178B4a> a=<github_pat_11ABCDEFG0abcDEF123_xyz> x=<glpat-aBc1DeF2gHi3JkL4mNo5>
y=<xoxb-17653672481-19874698323-pdFZKVeTuE8sk7oOcHrzqqgy> z=<xapp-1-A012BCDE-3456789-abcdef0123>
b=<sk_live_4eC39HqLyjWDarjtT1zdp7dc> c=<rk_test_51H8xQ2mZ7vLbN3pR>
d=<SG.ngeVfQFYQlKU0ufo8x5d1A.TwL2iGABf9DHoTf-09kqeF8tAmb> e=<npm_aB3dE5fG7hJ9kL1mN2pQ4rS6tU8vW0xYz>
f=<sk-proj-aB3dE5fG7hJ9kL1mN2pQ> g=<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> h=<ya29.a0AfH6SMBx7kQ2mZ9>
i=<hvs.CAESIJ3kq9ZmV7bN2pR>

## abbreviations and kin: OWASP, GitHub secret scanning and detect-secrets: names that they look for
tok=<q7w8e9> user_tok=<q7w8e9> tkn=<q7w8e9> psw=<hunter2> pswd=<hunter2> pword=<hunter2> passwd=<hunter2>
pwd=<hunter2> pw=<hunter2> userpw=<hunter2> user_pass=<hunter2> dbpass=<hunter2>
passphrase=<correct-horse-battery-staple> creds=<ann:hunter2> credentials=<YW5uOmh1bnRlcjI> apikey=<q7w8>
api-key=<q7w8> x-api-token=<q7w8> appsecret=<q7w8> app_secret_proof=<9f8e7d6c5b4a> consumer_secret=<q7w8>
private_key=<MIIEvQIBADANBgkq> secret_key=<q7w8> access_key=<q7w8> encryption_key=<q7w8e9r0t1> jwt=<abc.def.ghi>
bearer=<mF_9.B5f-4.1JqM> auth_key=<q7w8e9r0t1> sess=<4f5e6d7c8b> session_key=<4f5e6d7c8b9a> sessid=<4f5e6d>
ssid=<4f5e6d7c8b9a> usersession=<4f5e6d7c8b9a>

## payment and person: PCI DSS 4 §3.3, ISO 13616, HL7, WHATWG autocomplete cc-number, cc-csc
cardnumber=<4242424242424242> cc-number=<4242424242424242> cc_num=<4242424242424242> ccnumber=<4111111111111111>
pan=<5555555555554444> cvv=<123> cvc=<123> cc-csc=<1234> card_cvc=<735> iban=<DE89370400440532013000>
ssn=<078-05-1120> social_security_number=<078-05-1120> cc-exp=12/30&card=<4000056655665556>
account_number=<000123456789>

## people: RFC 6068, and what log-in pages are given
email=<ann%40mail.test> to=<ann@mail.example> /users/<ann.lee@mail.example>/edit q=<ann@mail.example>
#/invite/<ann@mail.example> next=%2Fa%3Femail%3D<ann%2540mail.test> u=<ann+news@163.com>
`;

/** Nothing here is a secret: not a character changes. */
const HARMLESS = `
## everyday words: a name that is a secret elsewhere, before a plain word or a short number
pass=season pass=2 pass=day-pass pass=Weekend signature=gold signature=cocktails signature=1 otp=sms otp=email otp=1
card=visa card=3 card=gift secret=santa secret=garden sig=band token=eth token=usdc pin=board pin=1 key=major key=c
key=12 code=summer code=42 code=vip state=open state=california state=12 ticket=adult ticket=3 session=morning
session=2 hash=brown auth=required auth=1 user=ann user=42 data=weekly nonce=2 sid=vicious t=120 jwt=docs
bearer=bonds assertion=true credentials=mba access=free passcode=off pan=left pan=120 iban=what-is cvv=help sess=2
tok=pisin creds=yes verify=age code=SPRING signature=Chef pass=VIP card=Business

## names that end like a strong one: words of the dictionary, and names of public interfaces
compass=north bypass=1 underpass=a4 overpass=12 passenger=2 passport=yes trespass=no postcard=paris scorecard=12
flashcard=7 discard=1 wildcard=star monkey=12 turkey=2 hockey=1 keyboard=de donkey=1 barcode=4006381333931
postcode=SW1A1AA zipcode=94107 unicode=U1F600 decode=true encode=base64 country_code=US area_code=212
status_code=404 error_code=E1001 promo_code=SAVE10 coupon_code=WELCOME10 source_code=main dress_code=casual
estate=villa real_state=x order_state=shipped caliban=tempest taliban=history laptop=15inch tiktok=video
design=modern max_tokens=512 token_type=bearer tokenizer=bpe token_count=12 next_page_token_size=3 secretary=ann
secrets=2 signature_dish=ramen design_token=primary password_hint=dog password_strength=3 passwordless=true
session_name=keynote session_count=3 card_type=visa cardholder=yes pin_color=red pinned=1 shipping_pin=board
authors=3 author=kafka auth_provider=google hash_type=sha256 hashtag=summer2024 keyword=shoes sort_key=price
group_key=brand partition_key=region ssn_required=no ticket_type=adult tickets=4 cvv_help=1 ibanez=guitar
otp_length=6 otp_channel=sms mfa=on mfa_enabled=true email_verified=true code_challenge_method=S256
response_type=code credential_type=passkey

## at signs: handles, versions, pictures for dense screens, searches, ActivityPub and package addresses
/@ann /@ann/posts/12 /@ann@mastodon.social /users/@me /npm/react@18.2.0/umd/react.js /npm/@babel/core@7.24.0/lib
/npm/vue@next /img/logo@2x.png /img/logo@3x.webp /pkg@latest /gh/jquery/jquery@3.7.1/dist/jquery.min.js
/maps/@52.52,13.405,12z /channel/@TED /s/coffee@home q=meet@noon q=latte@starbucks q=%40ann q=5+apples+@+2+euros
q=who+is+@ann q=price@100 at=@home handle=@ann.lee user=@ann time=12@noon /actions/checkout@v4
/lib@1.0.0-beta.2/index.js /chat/%40ann twitter=@ann_lee

## identifiers: what products put into addresses: none grants anything
id=550e8400-e29b-41d4-a716-446655440000 /orders/550e8400-e29b-41d4-a716-446655440000 /dp/B08N5WRWNW v=dQw4w9WgXcQ
list=PLBCF2DAC6FFB574DE gclid=Cj0KCQjw8e3BhC9ARIsABzHs4aR2Q8xKv7Tn0Yp9LmZ3 fbclid=IwAR2xK9mQ7vZ3pT1nB8sLcYd5fG0hJ4
utm_campaign=spring2024b utm_id=a1b2c3d4 cursor=Y3Vyc29yOnYyOpHOAAE4Vg after=obj_1a2b3c4d
product=price_1MowQVLkdIwHu7ixeRlqHVzs ref=a1b2c3d4 sha=9fceb02d0ae598e95dc970b74767f19372d61af8
/commit/9fceb02d0ae598e95dc970b74767f19372d61af8 /blob/main/src/auth/token.ts /docs/webhooks/signatures
/docs/reset-password /services/web-design /services/consulting/2024 /hooks/react/use-state /bots/telegram
/bot/settings /webhooks/new /api/webhooks/list /trigger/guide /join/team /join/premium2024 /recover/account
/invite/friends /magic/the-gathering /verify/step2 /users/log_in /user/reset /session/new /(S)/size
/products/(sale)/item v=1.2.3 version=20240517b3 build=1a2b3c4 color=a1b2c3 size=10x20 date=2024-01-01T10:00:00Z
lat=52.52&lng=13.405 X-Amz-Algorithm=AWS4-HMAC-SHA256&X-Amz-Expires=900 sv=2022-11-02&sr=b&sp=r
wa=wsignin1.0&wtrealm=urn:app:portal client_id=s6BhdRkqt3&redirect_uri=%2Fcb&scope=openid Key-Pair-Id=K2JCJMDEHXQW5F
SigAlg=rsa-sha256 oauth_version=1.0&oauth_signature_method=HMAC-SHA1 policy=cookie policy=privacy-2024 response=yes
request=quote s=shoes s=red+dress md5=what-is-it hub=chat sku=AB12-CD34-EF56 iphone=15pro model=x1c3b5 flight=LH454
seat=12a room=b2-104 isbn=9783161484100 phone=iphone

## encoded text: what people type, in other scripts too
q=forgot%20password q=access%20token%20expired q=caf%C3%A9+token q=secret%3A+a+novel q=what+is+otp%3F
name=Ren%C3%A9e&city=S%C3%A3o%20Paulo next=%2Fshop%3Fpage%3D2%26sort%3Dprice
redirect=https%3A%2F%2Fb.test%2Fa%3Fpass%3Dseason filter=%7B%22state%22%3A%22open%22%7D
filter=%7B%22pass%22%3A%22season%22%2C%22n%22%3A2%7D q=%E6%97%A5%E6%9C%AC%E8%AA%9E search=key+lime+pie+recipe+no2
query=password+manager+top10 text=reset%2Fverify+guide+v2b title=confirm/deny+a1b
`;

interface Entry {
  family: string;
  text: string;
  isHeldOut: boolean;
}

const entries = (text: string): Entry[] =>
  text
    .split("\n## ")
    .slice(1)
    .flatMap((block) => {
      const [title, ...lines] = block.split("\n");
      return lines
        .flatMap((line) => line.split(" "))
        .filter(Boolean)
        .map((entry, index) => ({ family: title!, text: entry, isHeldOut: index % 2 === 1 }));
    });

const urlOf = (text: string): string =>
  `https://app.test/${text.startsWith("/") ? text.slice(1) : /^#|^[\w/.-]+\?/.test(text) ? text : `a?${text}`}`;

const secretUrl = ({ family, text }: Entry): SecretUrl => ({
  product: family,
  url: urlOf(text.replace(/[<>]/g, "")),
  secrets: [...text.matchAll(/<([^>]*)>/g)].map(([, secret]) => secret!),
});

const secrets = entries(SECRET);
const harmless = entries(HARMLESS);

export const TUNED = {
  secret: secrets.filter(({ isHeldOut }) => !isHeldOut).map(secretUrl),
  harmless: harmless.filter(({ isHeldOut }) => !isHeldOut).map(({ text }) => urlOf(text)),
};
export const HELD_OUT = {
  secret: secrets.filter(({ isHeldOut }) => isHeldOut).map(secretUrl),
  harmless: harmless.filter(({ isHeldOut }) => isHeldOut).map(({ text }) => urlOf(text)),
};
